/** Pictures, sounds, documents and tables of data: what shows them (Poppler 22, qpdf 11, MuPDF 1.21, ExifTool 12.57, csvkit 1.1, xsv 0.13, libtiff 4.5; each by its manual). */
export const documents = `
# A file whose content says what is loaded, fetched or run stays unknown: sox and identify start programs that it names, mediainfo fetches what a playlist names, and ffmpeg's tools load scripts.
ffmpeg ffprobe : !unknown@0
  | -version~ -buildconf~ -formats~ -muxers~ -demuxers~ -devices~ -codecs~ -decoders~ -encoders~ -bsfs~ -protocols~ -filters~ -pix_fmts~ -layouts~ -sample_fmts~ -colors~ -hwaccels~ -L~ -hide_banner
# Words that begin with a dash are names of what is shown, unless they are options or hold one of = and <, which write. -p, -if and -api take code, -config loads it.
exiftool : read-tree* !runs-code/exiftool apart lone undivided | -ver -a -s -s1 -s2 -s3 -S -u -U -n -g -g0 -g1 -g2 -G -G0 -G1 -G2 -G3 -G4 -j -json -csv -t -T -X -h -H -D -l -L -f -b -m -q -e -ee -fast -fast2 -fast3 -F -v -v0 -v1 -v2 -v3 -v4 -v5 -r -x=text -ext=text -listx -listf -listr -listd -sort -struct
  | -DateTimeOriginal -CreateDate -ModifyDate -FileName -Directory -FileSize -FileType -FileTypeExtension -MIMEType -FileModifyDate -FilePermissions -ImageSize -ImageWidth -ImageHeight -Megapixels -Orientation -Make -Model -LensModel -Lens -LensID -ISO -ExposureTime -FNumber -Aperture -ShutterSpeed -FocalLength -Flash
  | -GPSLatitude -GPSLongitude -GPSPosition -GPSAltitude -GPSDateTime -Title -Author -Creator -Producer -Subject -Keywords -Description -Caption -Comment -UserComment -ImageDescription -Artist -Copyright -Rating -Software -ColorSpace -BitDepth -BitsPerSample -Compression -Duration -VideoFrameRate -AudioBitrate -AudioChannels -AudioSampleRate -AvgBitrate -Rotation -PageCount -PDFVersion -all -All -exif:all -EXIF:all -xmp:all -XMP:all -iptc:all -IPTC:all -gps:all -GPS:all -file:all -time:all
pngcheck : read* undivided | -[7cfpqtv]
jpeginfo : read* | -[cilv5] --check --info --lsstyle --verbose --md5 --json
webpinfo : read* lone undivided | -quiet -diag -summary -bitstream_info -version -h
tiffinfo : read* undivided | -[cdDjrswz]
gifsicle : read* !unknown@0 undivided | -I~ --info~ -II~ --color-info --extension-info --size-info
jhead : read* lone undivided | -v -c -V
flac : read* !unknown@0 | -t~ --test~ -s --silent --totally-silent -w --warnings-as-errors
metaflac : read* !unknown@0 | --list~ --show-md5sum~ --show-min-blocksize~ --show-max-blocksize~ --show-min-framesize~ --show-max-framesize~ --show-sample-rate~ --show-channels~ --show-bps~ --show-total-samples~ --show-vendor-tag~ --show-tag=text~ --show-all-tags~ --block-number=text --block-type=text --except-block-type=text --with-filename --no-filename --data-format=text --export-tags-to=write-stream~
mp3info : read* | -x -[pr]=text
id3v2 : read* !unknown@0 | -l~ --list~ -R~ --list-rfc822~
ogginfo opusinfo : read* | -[qv]
mkvinfo : object answers undivided | -v,--verbose -a,--all -t,--track-info -s,--summary --hex-positions --ui-language=text
mkvmerge : object !unknown@0 answers undivided | -i~ --identify~ -J~ -F,--identification-format=text -v,--verbose -l~ --list-types~ --list-languages~
otfinfo : read* | -[ifsaugtz] --info --features --scripts --family --tables --glyphs
fc-list : text* | -[vbq] -f,--format=text --verbose --brief --quiet
fc-match : text* | -[savb] -f,--format=text --sort --all --verbose --brief
fc-scan : read* | -b,--brief -f,--format=text
fc-query : read* | -b,--brief -i,--index=text -f,--format=text
# Documents. Where a file is expected, an address is fetched. pdfsig asks servers about certificates.
pdfinfo : plain-file | -[fl]=text -box -meta -custom -js -struct -struct-text -url -isodates -rawdates -dests -enc=text -listenc -opw,-upw=secret -v -h
pdffonts : plain-file | -[fl]=text -subst -loc -locPS -opw,-upw=secret -v -h
pdfimages : plain-file !unknown@0 | -list~ -[fl]=text -p -q -opw,-upw=secret
pdfdetach : plain-file !unknown@0 | -list~ -enc=text -opw,-upw=secret
# Without a second word it writes beside the first.
pdftotext : plain-file text with:dashed | -[fl]=text -r=text -[xyWH]=text -layout -raw -fixed=text -colspacing=text -nodiag -htmlmeta -bbox -bbox-layout -tsv -cropbox -enc=text -listenc -eol=(unix|dos|mac) -nopgbrk -q -opw,-upw=secret -v -h
qpdf : object !unknown@0 answers undivided | --check~ --show-npages~ --show-encryption~ --is-encrypted~ --requires-password~ --check-linearization~ --show-linearization~ --show-xref~ --show-pages~ --with-images --list-attachments~ --verbose --show-object=text~ --raw-stream-data --filtered-stream-data --json=text?~ --json-key=text --json-object=text --no-warn --warning-exit-0 --suppress-recovery --show-attachment=text~
mutool : !unknown
  info : read* | -[FIMPSX]
  show : read text* | -[beg]
  pages : read text*
catdoc catppt xls2csv : read* | -[wat]
antiword : read* | -[frstL]
wdiff : read read | -[123isn] -[wxyz]=text --statistics --no-deleted --no-inserted --no-common --ignore-case --no-wraps
difft difftastic : read-tree read-tree | --display=text --color=text --background=text --width=text --context=text --tab-width=text --list-languages --skip-unchanged --exit-code --check-only --strip-cr=text --syntax-highlight=text --sort-paths
# A compressed file is handed to a program: only what it is fed.
diffstat : | -[bcCdEhKklmqrRsStTuv] -p=text -[fnNw]=text
lsdiff filterdiff : read* | -[nvE] -[ixp#]=text --include=text --exclude=text --strip-match=text --strip=text --line-number --verbose --lines=text --files=text --hunks=text
pygmentize : read | -[gLV] -l=text -f=(terminal|terminal16m|terminal256|html|latex|null|raw|rtf|text|svg|tokens|testcase) -o=write
hexyl : read | -n,--length=text -c,--bytes=text -s,--skip=text --block-size=text -v,--no-squeezing --color=text --border=text -p,--plain -o,--display-offset=text -C,--characters --no-characters --panels=text -g,--group-size=text --endianness=text --base=text --terminal-width=text --no-position -P
mimetype : read* | -[bdiLM]
chardet chardetect uchardet isutf8 : read*
lsd : read* inert | -[aAlhFRtSXrdiLgv1Z] --all --almost-all --long --tree --depth=text --recursive --size=text --date=text --color=text --icon=text --group-dirs=text --group-directories-first --classic --human-readable --oneline --timesort --sizesort --extensionsort --reverse --sort=text --blocks=text --total-size --directory-only --no-symlink --header --git -I,--ignore-glob=text --permission=text --inode --hyperlink=text
# Sums.
b3sum : read* | -c,--check --keyed -l,--length=text --num-threads=text --no-mmap --no-names --raw --quiet --tag
xxhsum xxh32sum xxh64sum xxh128sum xxh3sum : read* | -[cqw] -H=text? --check --quiet --status --strict --warn --tag --little-endian
crc32 : read*
md5deep sha1deep sha256deep whirlpooldeep tigerdeep hashdeep : read* | -r>read-tree -[lebsqz]
minisign : | -V -[qQH] -[pmx]=read -P=text -v
signify signify-openbsd : | -V -C -q -[pmx]=read
gpgv : read* | --keyring=read -v,--verbose -q,--quiet
gpgconf : | --list-dirs --list-components -L
lsar : read* lone apart undivided | -l -L -t -test -v -j -json -e,-encoding=text -p,-password=secret
cabextract : read* !writes@0 | -l~ --list~ -t~ --test~ -q,--quiet -s,--single -F,--filter=text -p~ --pipe~
isoinfo : | -[ldfRJp] -i=read -x=text
# Behind the archive an option is the name of a file to unpack.
unsquashfs : read text* !writes@0 lone undivided with:unpacking | -l~ -ll~ -lls~ -s~ -stat~ -q -n -no-progress
# Tables of data. in2csv --write-sheets and csvclean without -n write files beside what they read.
@csvkit = -[dqpzeK]=text -[tbSHlv] -u=text -L,--locale=text --blanks --zero --add-bom --delimiter=text --tabs --quotechar=text --quoting=text --no-doublequote --escapechar=text --maxfieldsize=text --encoding=text --skipinitialspace --no-header-row --skip-lines=text --linenumbers --verbose
csvcut : read* | @csvkit -n,--names -c,--columns=text -C,--not-columns=text -x,--delete-empty-rows
csvlook : read* | @csvkit --max-rows=text --max-columns=text --max-column-width=text --max-precision=text --no-number-ellipsis -I,--no-inference -y,--snifflimit=text --date-format=text --datetime-format=text
csvstat : read* | @csvkit -n,--names -c,--columns=text --csv --json --indent=text -i=text --type --nulls --non-nulls --unique --min --max --sum --mean --median --stdev --len --max-precision --freq --freq-count=text --count --decimal-format=text -G,--no-grouping-separator -I,--no-inference -y,--snifflimit=text --date-format=text --datetime-format=text
csvgrep : read* | @csvkit -n,--names -c,--columns=text -m,--match=text -r,--regex=text -f,--file=read -i,--invert-match -a,--any-match
csvsort : read* | @csvkit -n,--names -c,--columns=text -r,--reverse -i,--ignore-case -I,--no-inference -y,--snifflimit=text
csvjson : read* | @csvkit -i,--indent=text -k,--key=text --lat=text --lon=text --type=text --geometry=text --crs=text --no-bbox --stream -I,--no-inference -y,--snifflimit=text --date-format=text --datetime-format=text
csvformat : read* | @csvkit -E,--skip-header -D,--out-delimiter=text -T,--out-tabs -Q,--out-quotechar=text -U,--out-quoting=text -B,--out-no-doublequote -P,--out-escapechar=text -M,--out-lineterminator=text
csvjoin : read* | @csvkit -c,--columns=text --outer --left --right -I,--no-inference -y,--snifflimit=text
csvstack : read* | @csvkit -g,--groups=text -n,--group-name=text --filenames
csvclean : read* !writes@0 !unknown@0 | @csvkit -n~ --dry-run~
in2csv : plain-file | @csvkit -f,--format=(csv|dbf|geojson|json|ndjson|xls|xlsx) -n,--names --sheet=text -k,--key=text -I,--no-inference -y,--snifflimit=text
# index, split and partition write files, and so does -o.
xsv : !unknown
  headers : read* | -j,--just-names --intersect -d,--delimiter=text
  count : read | -n,--no-headers -d,--delimiter=text
  flatten : read | -[n] -d,--delimiter=text -c,--condense=text -s,--separator=text --no-headers
  table : read | -w,--width=text -p,--pad=text -c,--condense=text -d,--delimiter=text -o,--output=write
  stats : read | -s,--select=text -j,--jobs=text -n,--no-headers -d,--delimiter=text -o,--output=write --everything --mode --cardinality --median --nulls
  frequency : read | -s,--select=text -l,--limit=text -a,--asc -j,--jobs=text -n,--no-headers -d,--delimiter=text -o,--output=write --no-nulls
  select : text read | -n,--no-headers -d,--delimiter=text -o,--output=write
  search : text read | -i,--ignore-case -s,--select=text -v,--invert-match -n,--no-headers -d,--delimiter=text -o,--output=write
  slice : read | -s,--start=text -e,--end=text -l,--len=text -i,--index=text -n,--no-headers -d,--delimiter=text -o,--output=write
  sort : read | -s,--select=text -N,--numeric -R,--reverse -n,--no-headers -d,--delimiter=text -o,--output=write
  sample : text read | -n,--no-headers -d,--delimiter=text -o,--output=write
  reverse : read | -n,--no-headers -d,--delimiter=text -o,--output=write
  fixlengths : read | -l,--length=text -d,--delimiter=text -o,--output=write
  fmt : read | -t,--out-delimiter=text --crlf --ascii --quote=text --quote-always --escape=text -d,--delimiter=text -o,--output=write
  input : read | --quote=text --escape=text --no-quoting -d,--delimiter=text -o,--output=write
  cat/rows cat/columns : read* | -p,--pad -n,--no-headers -d,--delimiter=text -o,--output=write
  join : text read text read | --no-case --left --right --full --cross --nulls -n,--no-headers -d,--delimiter=text -o,--output=write
# It only computes with what it is fed.
datamash : text* | -t,--field-separator=text -[HisWfC] -g,--group=text -R,--round=text --header-in --header-out --headers --ignore-case --sort --whitespace --full --narm --skip-comments --format=text --output-delimiter=text --filler=text --no-strict
gron : plain-file | -[umcsjv] --ungron --monochrome --colorize --stream --json --no-sort --values
htmlq : text* | -[tpwB] -a,--attribute=text -f,--filename=read -o,--output=write -r,--remove-nodes=text -b,--base=text --text --pretty --ignore-whitespace --detect-base
pup : text* | -[cpn] -f,--file=read -i,--indent=text -l,--limit=text --charset=text --color --plain --number
json_pp : | -v -t=(null|json|dumper) -f=(json)
tidy : read* !writes/tidy undivided | -[eqibcnu] -errors -quiet -xml -utf8 -raw -ascii -latin1 -indent -numeric -omit -clean -bare -asxml -asxhtml -ashtml -m!unknown
xmlstarlet : !unknown
  # It reads the DTD that a document names, and an error shows a line of it.
  val validate : plain-file* !unknown@0 | -[wegbq] --well-formed --err --list-good --list-bad --quiet
  el elements : plain-file undivided | -[auv] -d=text?
# What refers to other files or holds their content shows it, unless only the names are asked for.
h5ls : read | -[rvgfl] --recursive --verbose --group --full --label
h5dump : read* !unknown@0 | -H~ --header~ -n~ --contents~
ncdump : plain-file !unknown@0 | -h~ -k~ -s -t
# Only from formats that name no other file.
# Behind +RTS stand options of Haskell's run time, and -t among them writes a file.
pandoc : plain-file* !unknown@0 | +RTS!unknown -f,--from=(markdown|gfm|commonmark|commonmark_x|markdown_strict|docx|odt|json|native|ipynb|csv|tsv)~ -t,--to=(plain|markdown|gfm|commonmark|html|html5|json|native|rst|latex|org|asciidoc|man|mediawiki|textile) --wrap=text --columns=text --toc --toc-depth=text -s,--standalone -N,--number-sections --ascii --strip-comments --shift-heading-level-by=text
  | --list-input-formats~ --list-output-formats~ --list-extensions=text?~ --list-highlight-languages~ --list-highlight-styles~
kpsewhich : text* | -all --all -var-value,--var-value=text
tesseract : | --list-langs --help-extra --help-psm --help-oem --print-parameters
`;
