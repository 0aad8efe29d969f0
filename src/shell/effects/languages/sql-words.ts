/** What SQLite's `PRAGMA name` shows; with a value it may set. `integrity_check` computes what a table's checks say, which may call `edit` as a view does, also with -safe. */
export const SHOWING_PRAGMAS = new Set(
  "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list user_version schema_version page_count page_size compile_options foreign_key_check collation_list function_list encoding freelist_count journal_mode application_id show_tables database_size version".split(
    " ",
  ),
);
/** Pragmas that take a name between parentheses and only show. */
export const NAMED_PRAGMAS = new Set("table_info table_xinfo index_list index_info index_xinfo foreign_key_list".split(" "));
/** Words of statements that change data, write files, lock, or call code. */
export const CHANGING = new Set(
  "into outfile dumpfile insert update delete drop alter create replace truncate merge grant revoke copy export import attach detach install load call exec execute do lock unlock vacuum reindex analyze analyse set reset begin commit rollback savepoint use prepare deallocate listen notify refresh cluster comment security checkpoint handler flush kill shutdown dbcc backup restore bulk deny disable enable reconfigure print raiserror openrowset opendatasource openquery openxml waitfor procedure share nowait uescape receive writetext updatetext revert dump reassign discard repack rename setuser add xlock updlock tablockx".split(
    " ",
  ),
);
/** Functions of the standard and of the four databases that compute from their arguments and from tables alone. */
export const FUNCTIONS = new Set(
  "count sum avg min max total group_concat string_agg array_agg list listagg json_group_array json_group_object json_agg jsonb_agg json_object_agg bool_and bool_or every bit_and bit_or stddev stddev_pop stddev_samp variance var_pop var_samp corr median mode quantile quantile_cont quantile_disc approx_count_distinct arg_min arg_max any_value first last percentile_cont percentile_disc row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value abs ceil ceiling floor round trunc truncate_to sign mod power pow sqrt exp ln log log10 log2 pi sin cos tan asin acos atan atan2 degrees radians greatest least random rand length len char_length character_length octet_length bit_length lower upper lcase ucase trim ltrim rtrim btrim lpad rpad left right substr substring substring_index replace_all translate reverse repeat concat concat_ws strpos instr position locate split_part regexp_matches regexp_replace regexp_extract regexp_like regexp_count starts_with ends_with contains initcap ascii chr char unicode hex unhex quote printf format to_char to_number to_date to_timestamp md5 sha1 sha256 sha2 coalesce ifnull nullif isnull nvl iif if cast try_cast convert typeof typeof_ pg_typeof date time datetime julianday unixepoch strftime now current_date current_time current_timestamp date_trunc date_part datepart datename dateadd datediff date_add date_sub date_diff date_format extract age year month day hour minute second dayofweek dayofyear weekday week quarter last_day make_date makedate from_unixtime unix_timestamp epoch getdate getutcdate sysdate curdate curtime json_extract json_valid json_type json_array json_array_length json_object json_each json_tree json_keys json_quote json_value json_query jsonb_array_elements json_array_elements jsonb_each jsonb_object_keys jsonb_build_object json_build_object row_to_json to_json to_jsonb array_length cardinality array_to_string string_to_array unnest generate_series range changes last_insert_rowid total_changes sqlite_version version current_database current_schema current_user database schema user pg_size_pretty pg_database_size pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size obj_description col_description format_type pg_get_indexdef pg_get_constraintdef pg_get_viewdef bm25 highlight snippet nullifzero zeroifnull decode_ rowid likely unlikely soundex".split(
    " ",
  ),
);
/** What may stand before a parenthesis without being a function. */
export const BEFORE_PARENTHESIS = new Set(
  "in values exists over as and or not from join on by using union all any some select where when then else limit offset distinct filter case having except intersect within group between like ilike is return with recursive materialized lateral partition order window end explain varchar char decimal numeric float int integer bigint timestamp time bit binary varbinary nvarchar nchar character interval double".split(
    " ",
  ),
);
