/** Structured data and databases (jq 1.7, yq 4, SQLite 3.40, PostgreSQL 15 and MySQL 8 clients). */
export const data = `
jq gojq jaq : jq-filter read* | -[ncrjSseaMC] --raw-input -R --null-input --compact-output --raw-output --raw-output0 --join-output --sort-keys --slurp --exit-status --ascii-output --monochrome-output --color-output --tab --indent=text --unbuffered --stream
  | --stream-errors --seq --arg=text=text --argjson=text=text --args --jsonargs -h,--help -V,--version --build-configuration -f,--from-file=code-file^ -L=code --slurpfile=text=read --rawfile=text=read --argfile=text=read
yq : text read* !unknown
xmllint : read* | --noout --format --xpath=text --schema=read --nonet --valid --huge --encode=text --html --recover --pretty=text --noblanks --c14n --output=write -o=write --noent!unknown --xinclude!unknown --shell!unknown --postvalid
sqlite3 : read sql with:database | -readonly -safe -csv -json -line -column -header -noheader -list -box -table -markdown -html -quote -tabs -separator=text -nullvalue=text -newline=text -batch -bail -version~ -help~ -ascii -cmd=sql -init=code-file -interactive!unknown
psql pg_dump pg_restore createdb dropdb mysql mysqldump mariadb redis-cli mongo mongosh sqlcmd cqlsh influx duckdb clickhouse clickhouse-client cockroach : text* !sends
csvcut csvlook csvstat csvgrep csvsort csvjson : read* | -[cnlHdqtuve]=text --columns=text
exiftool ffprobe identify mediainfo pdfinfo pdftotext pdftohtml convert magick ffmpeg sox pandoc wkhtmltopdf latex pdflatex xelatex dot inkscape gs : text* !unknown
`;
