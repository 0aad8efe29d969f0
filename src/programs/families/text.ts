/** Text: reading, cutting, sorting, converting it (GNU coreutils 9.1, sed 4.9, gawk 5.2). */
export const text = `
cat : read* gnu inert | -[AbeEnstTuv] --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
tac : read* gnu inert | -b,--before -r,--regex -s,--separator=text
head : read* gnu inert | -[qvz] -# -n,--lines=text -c,--bytes=text --quiet --silent --verbose --zero-terminated
tail : read* gnu inert | -[fFqrvz] -# -n,--lines=text -c,--bytes=text --follow=text? --retry --max-unchanged-stats=text --pid=text --quiet --silent -s,--sleep-interval=text --verbose --zero-terminated
nl : read* gnu inert | -[bdfhilnsvw]=text -p --body-numbering=text --section-delimiter=text --footer-numbering=text --header-numbering=text --line-increment=text
  | --join-blank-lines=text --number-format=text --no-renumber --number-separator=text --starting-line-number=text --number-width=text
wc : read* gnu inert | -[cmlLw] --bytes --chars --lines --max-line-length --words --files0-from=list --total=text
cut : read* gnu inert | -[bcdf]=text -[nswz] --bytes=text --characters=text --delimiter=text --fields=text --complement --only-delimited --output-delimiter=text --zero-terminated
tr : text text gnu inert | -[cCdst] --complement --delete --squeeze-repeats --truncate-set1
paste : read* gnu inert | -d,--delimiters=text -s,--serial -z,--zero-terminated
join : read read gnu inert | -[aeotv12j]=text -[izE] --ignore-case --check-order --nocheck-order --header --zero-terminated
comm : read read gnu inert | -[123z] --check-order --nocheck-order --output-delimiter=text --total --zero-terminated
fold : read* gnu inert | -[bs] -w,--width=text --bytes --spaces -#
fmt : read* gnu inert | -[cstu] -[gpw]=text -# --crown-margin --prefix=text --split-only --tagged-paragraph --uniform-spacing --width=text --goal=text
column : read* inert | -[teLxnJRd] -[csoNHOTWErlp]=text --table --separator=text --output-separator=text --table-columns=text --json --table-right=text --output-width=text --fillrows --table-hide=text
expand unexpand : read* gnu inert | -[ai] -t,--tabs=text --initial --all --first-only -#
rev : read* inert
pr : read* gnu inert | -[acdfFJmrtTv] -[DhloNwW]=text -[Sesin]=text? -# --columns=text --across --show-control-chars --double-space --date-format=text --expand-tabs=text? --form-feed --header=text --output-tabs=text?
  | --join-lines --length=text --merge --number-lines=text? --first-line-number=text --indent=text --no-file-warnings --separator=text? --sep-string=text? --omit-header --omit-pagination --show-nonprinting --width=text --page-width=text
strings : object* gnu answers | -[afowdhvV] -[nteTsU]=text --data --target=text --unicode=text --output-separator=text --all --bytes=text --radix=text --encoding=text --print-file-name --include-all-whitespace -#
od : read* gnu inert | -[abcdDeFfhHiIlLOosvxX] -[AjNtS]=text -w=text? --address-radix=text --skip-bytes=text --read-bytes=text --format=text --output-duplicates --width=text? --endian=text --strings=text? --traditional
hexdump hd : read* inert | -[bcCdovxX] -[ens]=text -L=text? --canonical --length=text --skip=text --no-squeezing
# The second operand is a file that xxd writes. Letters are no cluster: -bc 8 f is -b, reads 8 and writes f.
xxd : read write lone | -[abdeEipruvC] -[cglnosR]=text -plain -ps -postscript -include -bits -revert -upper -autoskip -cols=text -groupsize=text -len=text -seek=text
base64 base32 basenc : read gnu inert | -d,-D,--decode -i,--ignore-garbage -w,--wrap=text --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85
iconv : read* gnu | --usage -V -f,--from-code=charset -t,--to-code=charset -l,--list -c -o,--output=write-stream -s,--silent --verbose
dos2unix unix2dos : write* | -[fkqsnb]
look : text read inert | -[adf] -t=text
tsort : read gnu inert
# With -G the second operand is written.
ptx : read* | -[ArTftRO] -[FMSWgw]=text -[bio]=read --auto-reference --flag-truncation=text --macro-name=text --format=text --right-side-refs --sentence-regexp=text --word-regexp=text --break-file=read --ignore-case --gap-size=text
  | --ignore-file=read --only-file=read --references --typeset-mode --width=text
# A dash as the output is a file of that name.
shuf : read | -e,--echo>text -i,--input-range=text -n,--head-count=text -o,--output=write --random-source=read -r,--repeat -z,--zero-terminated
# The second operand is a file that uniq writes.
uniq : read write gnu | -[cdDiuz] -[fsw]=text -# --count --repeated --all-repeated=text? --skip-fields=text --group=text? --ignore-case --skip-chars=text --unique --zero-terminated --check-chars=text
sort : read* gnu
  | -[bdfgiMhnRrVcCmsuz] -[ktS]=text --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort
  | --numeric-sort --random-sort --reverse --sort=text --version-sort --batch-size=text --check=text? --debug --key=text --merge --stable --buffer-size=text --field-separator=text
  | --parallel=text --unique --zero-terminated -o,--output=write -T,--temporary-directory=write --compress-program=code --files0-from=list --random-source=read
pv : read* | -[abceflnpqrtTvWF] -[BDHiLNsw]=text
tee : write* gnu | -[aip] --append --ignore-interrupts --output-error=text?
sponge : write | -a
sed gsed : sed-script read* gnu with:copies
  | -[nErsuz] -l=text --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --sandbox --posix --debug --line-length=text --follow-symlinks
  | -e,--expression=sed-script^ -f,--file=code-file^ -i,--in-place=suffix?>write
awk gawk mawk nawk original-awk : awk-program read* first
  | -F,--field-separator=text -v,--assign=text --posix --traditional --re-interval --non-decimal-data --lint=text? --characters-as-bytes --use-lc-numeric --sandbox --csv
  | -f,--file=code-file^ -i,--include=code-file -l,--load=code -E,--exec=code-file^ -o,--pretty-print=write?!writes -p,--profile=write?!writes -d,--dump-variables=write?!writes -D,--debug=code-file?!runs-code
  | -[bcghLMnNPOrSs] -W=(version|help|usage|copyright|posix|traditional|lint|re-interval|interactive) --version
echo : text* inert | -[neE]
printf : text* by:printf
yes : text* inert
seq : text text text gnu inert | -f,--format=text -s,--separator=text -w,--equal-width -#
expr : text* inert
factor : text* inert | -h --exponents
numfmt : text* gnu inert | -d,--delimiter=text --field=text --format=text --from=text --from-unit=text --grouping --header=text? --invalid=text --padding=text --round=text --suffix=text --to=text --to-unit=text -z,--zero-terminated --debug
bc : code-file* | -[hilqsw] --mathlib --quiet --interactive --standard --warn
dc : read* !unknown
cal ncal : text text text inert | -[13jmsywhMNbCe] -[ABdHn]=text
figlet banner : text* inert
# A drawing that -f names is Perl.
cowsay cowthink : text*
envsubst : text !secrets
gettext : text* inert
test [ : by:test
true false : text* inert
`;
