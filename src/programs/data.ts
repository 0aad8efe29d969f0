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
sqlite3 : source sql with:sqlite | -echo -stats -nofollow -memtrace -mmap=text -maxsize=text -lookaside=text=text -pagecache=text=text -deserialize -readonly -safe -csv -json -line -column -header -noheader -list -box -table -markdown -html -quote -tabs -separator=text -nullvalue=text -newline=text -batch -bail -version~ -help~ -ascii -cmd=sql -init=code-file -interactive!unknown
# A file that is missing becomes an empty database. The start-up file is the user's own; extensions are loaded for files and URLs alone, which no statement may name.
# A view of the file may read other files and addresses, unless -safe is given.
duckdb : source sql with:duckdb
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
  | -[EWNCIxXjKkb] -S=text!sends -d=text -U=text -P=secret -Q=sql -h=text -s=text -w=text -y=text -Y=text -l=text -t=text -m=text -r=text? -a=text -H=text -c=text -L~ -i=code-file -o=write -f=text -?~
  # The Go tool's own verbs; contexts stand in the person's configuration, their passwords too.
  query : sql !connects at:configured with:database | -q,--query=sql -d,--database=text
  config : !unknown@0
    view : | -o=text
    get-contexts get-endpoints get-users current-context : text* | --name=text
    connection-strings cs : text* !secrets
pg_dump pg_restore createdb dropdb mysqldump redis-cli mongo mongosh cqlsh influx clickhouse clickhouse-client cockroach : text* !sends
identify mediainfo pdftohtml convert magick sox wkhtmltopdf latex pdflatex xelatex dot inkscape gs : text* !unknown
`;
