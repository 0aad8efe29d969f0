/** Structured data and databases (jq 1.7, yq 4, SQLite 3.40, PostgreSQL 15 and MySQL 8 clients). */
export const data = `
jq gojq jaq : jq-filter read* | -[ncrjSseaMC] --raw-input -R --null-input --compact-output --raw-output --raw-output0 --join-output --sort-keys --slurp --exit-status --ascii-output --monochrome-output --color-output --tab --indent=text --unbuffered --stream
  | --stream-errors --seq --arg=text=text --argjson=text=text --args --jsonargs -h,--help -V,--version --build-configuration -f,--from-file=code-file^ -L=code --slurpfile=text=read --rawfile=text=read --argfile=text=read
# Two programs have this name: only what both understand alike, or what one of them refuses. -i changes the file, -s writes new ones.
yq : yq-filter read* | -[PrencjCMv0Ny] -o=text -p=text -I=text --prettyPrint --unwrapScalar=text? --exit-status --null-input --no-doc --tojson --colors --no-colors --nul-output --verbose --output-format=text --input-format=text
  | --indent=text --header-preprocess=text? --xml-attribute-prefix=text --xml-content-name=text --xml-strict-mode --xml-keep-namespace --csv-auto-parse --csv-separator=text --tsv-auto-parse --properties-separator=text
  | --raw-output --compact-output --sort-keys --yaml-output -h -V -i,--inplace>write
  eval e eval-all ea : yq-filter read* | -[PrencjCMv0N] -o=text -p=text -I=text --prettyPrint --unwrapScalar=text? --exit-status --null-input --no-doc --tojson --colors --no-colors --nul-output --verbose --output-format=text
    | --input-format=text --indent=text -h -i,--inplace>write
# A schema names further ones. Where the document's own definition is loaded, its entities name files and servers.
xmllint : source* | --noout --format --xpath=text --schema=list --nonet --valid!unknown --huge --encode=text --html --recover --pretty=text --noblanks --c14n!unknown --output=write -o=write --relaxng=list --nowarning --quiet --pedantic --timing --nodict --compact --nocdata --nsclean --dropdtd --stream --push --memory --noent!unknown --xinclude!unknown --shell!unknown --postvalid!unknown
# A name that begins with file: is an address that holds a path: like a host's, it is no plain one.
# A view of the file may call edit(), which runs a command, unless -safe is given.
sqlite3 : source sql* with:sqlite | -echo -stats -nofollow -memtrace -mmap=text -maxsize=text -lookaside=text=text -pagecache=text=text -deserialize -readonly -safe -csv -json -line -column -header -noheader -list -box -table -markdown -html -quote -tabs -separator=text -nullvalue=text -newline=text -batch -bail -version~ -help~ -ascii -cmd=sql -init=code-file -interactive!unknown
# A file that is missing becomes an empty database. The start-up file is the user's own; extensions are loaded for files and URLs alone, which no statement may name.
# A view of the file may read other files and addresses, unless -safe is given.
duckdb : source sql* with:duckdb
  | -ascii -bail -batch -box -column -csv -echo -header -html -json -jsonlines -latex -line -list -markdown -noheader -no-stdin -quote -readonly -safe -table -tabs -unsigned!unknown -separator=text -newline=text -nullvalue=text
  | -s,-c=sql -cmd=sql -help~ -version~ -init=code-file -f=code-file -interactive!unknown -unredacted!secrets -storage-version=text
# What a statement asks for goes to a server that the words or the user's own files name. The value of -p is a password when it is attached.
psql : database text !connects at:configured with:database
  | -[aAbeEHqtxXSwW1z0] -l,--list~ -h,--host=host -[pURFPvT]=text -d,--dbname=database -c,--command=sql -f,--file=code-file -o,--output=write!unknown -L,--log-file=write --port=text --username=text --no-align --csv --html
  | --expanded --field-separator=text --record-separator=text --pset=text --tuples-only --table-attr=text --variable=text --no-psqlrc --no-password --password --quiet --single-line --single-transaction --single-step
  | --echo-all --echo-errors --echo-queries --echo-hidden --field-separator-zero --record-separator-zero -V~ -?~
# With -G a line within a statement may be a command of the client, such as system.
mysql mariadb : database !connects at:configured with:database
  | -[BbCEfHiNnqrstvXwTA] -h,--host=host -u,--user=text -p,--password=secret? -P,--port=text -D,--database=text -e,--execute=sql -S,--socket=read --batch --column-names --skip-column-names --compress --raw --silent --table
  | --vertical --verbose --xml --html --force --quick --protocol=text --default-character-set=text --connect-timeout=text --ssl-mode=text --ssl-ca=read --tee=write --pager=code --init-command=sql --safe-updates -V~ --no-auto-rehash
sqlcmd : !connects at:configured with:database
  | -[EWNCIxXjKkb] -S=text!sends -d=text -U=text -P=secret -Q=sql -h=text -s=text -w=text -y=text -Y=text -l=text -t=text -m=text -r=text? -a=text -H=text -c=text!unknown -L~ -i=code-file -o=write -f=text -?~
  # The Go tool's own verbs; contexts stand in the person's configuration, their passwords too.
  query : sql !connects at:configured with:database | -q,--query=sql -d,--database=text
  config : !unknown@0
    view : | -o=text
    get-contexts get-endpoints get-users current-context : text* | --name=text
    connection-strings cs : text* !secrets
# What is asked for goes to the server of the person's own configuration. With another verb, and behind one, it changes.
@mysql-server = -h,--host=host!sends -u,--user=text -p,--password=secret? -P,--port=text -S,--socket=read -s --silent -v --verbose -C --compress --protocol=text --connect-timeout=text --ssl-mode=text -i,--sleep=text -V~ --version~
mysqladmin mariadb-admin : !unknown || @mysql-server
  ping status extended-status processlist variables version : !connects at:configured | -c,--count=text -r --relative -E --vertical
mysqlshow mariadb-show : text text text !connects at:configured | -h,--host=host!sends -u,--user=text -p,--password=secret? -P,--port=text -S,--socket=read -v --verbose --count -k --keys -t --show-table-type -C --compress --protocol=text -V~
# A definition without rows; with rows the whole is sent to whoever reads it.
pg_dump : database !connects at:configured !sends@0 with:database | -s~ --schema-only~ -h,--host=host!sends -d,--dbname=database -p,--port=text -U,--username=text -w,--no-password -[tTnN]=text --table=text --exclude-table=text --schema=text --exclude-schema=text -[Ox] --no-owner --no-privileges --no-acl --no-comments --no-tablespaces --no-security-labels --if-exists -c,--clean -C,--create -V~
# With -d it connects, and with -f it writes.
pg_restore : read-tree* !sends@0 | -l~ --list~ -F,--format=text -v --verbose -V~
# Its words are a command of the server, and only the first decides; options stand before it. CONFIG GET shows passwords but for the settings here; SORT, GEORADIUS, GETEX and their like may store.
@redis-read = get mget strlen getrange substr getbit bitcount bitpos exists ttl pttl expiretime pexpiretime type keys scan randomkey dbsize hget hmget hgetall hkeys hvals hlen hexists hstrlen hscan hrandfield lrange llen lindex lpos smembers sismember smismember scard srandmember sinter sunion sdiff sintercard sscan
@redis-read-more = zrange zrevrange zrangebyscore zrevrangebyscore zrangebylex zrevrangebylex zcard zscore zmscore zrank zrevrank zcount zlexcount zscan zrandmember zinter zunion zdiff zintercard xlen xrange xrevrange xpending geopos geodist geohash geosearch sort_ro lcs ping echo info time role lastsave lolwut
@REDIS-READ = GET MGET STRLEN GETRANGE SUBSTR GETBIT BITCOUNT BITPOS EXISTS TTL PTTL EXPIRETIME PEXPIRETIME TYPE KEYS SCAN RANDOMKEY DBSIZE HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HSCAN HRANDFIELD LRANGE LLEN LINDEX LPOS SMEMBERS SISMEMBER SMISMEMBER SCARD SRANDMEMBER SINTER SUNION SDIFF SINTERCARD SSCAN
@REDIS-READ-MORE = ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZREVRANGEBYLEX ZCARD ZSCORE ZMSCORE ZRANK ZREVRANK ZCOUNT ZLEXCOUNT ZSCAN ZRANDMEMBER ZINTER ZUNION ZDIFF ZINTERCARD XLEN XRANGE XREVRANGE XPENDING GEOPOS GEODIST GEOHASH GEOSEARCH SORT_RO LCS PING ECHO INFO TIME ROLE LASTSAVE LOLWUT
redis-cli valkey-cli : text* !sends@0 !connects at:configured apart lone first
  | --scan~0 --bigkeys~0 --memkeys~0 --hotkeys~0 --stat~0 --latency~0 --version~0 -v~0 -h=host!sends -p=text -n=text -a,--pass=secret --user=text -u=url!sends -s=read -r=text -i=text --raw --no-raw --csv --json -2 -3 --no-auth-warning --pattern=text --count=text --tls --cacert=read
  @redis-read @redis-read-more @REDIS-READ @REDIS-READ-MORE : text* !connects at:configured | -#
  object/encoding object/freq object/idletime object/refcount memory/usage memory/stats memory/doctor slowlog/get slowlog/len latency/doctor latency/latest latency/history client/list client/info client/getname client/id cluster/info cluster/nodes cluster/slots cluster/shards cluster/myid cluster/keyslot cluster/countkeysinslot command/count command/info command/docs pubsub/channels pubsub/numsub pubsub/numpat module/list xinfo/stream xinfo/groups xinfo/consumers acl/whoami : text* !connects at:configured
  OBJECT/ENCODING OBJECT/FREQ OBJECT/IDLETIME OBJECT/REFCOUNT MEMORY/USAGE MEMORY/STATS MEMORY/DOCTOR SLOWLOG/GET SLOWLOG/LEN LATENCY/DOCTOR LATENCY/LATEST LATENCY/HISTORY CLIENT/LIST CLIENT/INFO CLIENT/GETNAME CLIENT/ID CLUSTER/INFO CLUSTER/NODES CLUSTER/SLOTS CLUSTER/SHARDS CLUSTER/MYID CLUSTER/KEYSLOT CLUSTER/COUNTKEYSINSLOT COMMAND/COUNT COMMAND/INFO COMMAND/DOCS PUBSUB/CHANNELS PUBSUB/NUMSUB PUBSUB/NUMPAT MODULE/LIST XINFO/STREAM XINFO/GROUPS XINFO/CONSUMERS ACL/WHOAMI : text* !connects at:configured
  config/get CONFIG/GET : !sends
    maxmemory maxmemory-policy maxclients timeout databases save appendonly notify-keyspace-events tcp-keepalive hz : !connects at:configured
createdb dropdb mysqldump mongo mongosh cqlsh influx clickhouse clickhouse-client cockroach : text* !sends
identify mediainfo pdftohtml convert magick sox wkhtmltopdf latex pdflatex xelatex dot inkscape gs : text* !unknown
`;
