/** Apple's own tools (macOS 14 manuals): only what shows. Everything else of them is unknown. */
export const mac = `
networksetup : text*
  | -listallnetworkservices -listnetworkserviceorder -listallhardwareports -listlocations -getcurrentlocation -getcomputername -getinfo -getdnsservers -getsearchdomains -getmacaddress -getMTU -getMedia
  | -listvalidMTUrange -listValidMTURange -listvalidmedia -listValidMedia -listVLANs -listdevicesthatsupportVLAN -listBonds -isBondSupported -showBondStatus -listpreferredwirelessnetworks
  | -getairportnetwork -getairportpower -getwebproxy -getsecurewebproxy -getftpproxy -getsocksfirewallproxy -getproxybypassdomains -getproxyautodiscovery -getautoproxyurl -getadditionalroutes
  | -getnetworkserviceenabled -getv6automatic -getpassiveftp -listpppoeservices -showpppoestatus -getv6additionalroutes -getstreamingproxy -getgopherproxy -listfilters -printcommands -version -help
launchctl : !unknown
  list print print-cache print-disabled blame dumpstate dumpjpcategory hostinfo version managername manageruid managerpid resolveport procinfo plist error variant help : text*
  # With a second word it is set.
  limit : text
pkgutil : text*
  | --pkgs=text? --pkgs-plist --pkg-info --pkg-info-plist --files --export-plist --file-info --file-info-plist --file-list --groups --groups-plist --pkg-groups --group-pkgs --volumes --check-signature --payload-files
  | --only-files --only-dirs --regexp --volume=read --help -h -v,--verbose
# Without an option it reads commands. A name whose reachability is asked for is looked up.
scutil : host* !unknown@0 | --dns~ --proxy~ --nwi~ --get=text~ -r~ -W -w=text~ -t=text --nc=(list|status)~
tmutil : !unknown
  latestbackup listbackups destinationinfo status currentphase listlocalsnapshots listlocalsnapshotdates machinedirectory isexcluded uniquesize calculatedrift verifychecksums version help : read* | -[dmntXx]
  compare : read* | -[@acdefglmnpstuEUX] -[DI]=text
hdiutil : !unknown
  info plugins help : | -plist -verbose -debug
  imageinfo verify isencrypted checksum pmap udifderez : read* | -plist -format -checksum -partition -quiet -verbose -debug -type=text -xml -srcimagekey=text -cacert=read -insecurehttp!unknown
diskutil : !unknown
  list info information activity listFilesystems listfilesystems : text* | -plist -all
  apfs appleRAID ar coreStorage cs : !unknown
    list listUsers listCryptoUsers listSnapshots listVolumeGroups info information : text* | -plist
# The first word is a directory node; without a verb commands are read from standard input.
# Behind a verb every word is the verb's.
dscl : text* !unknown@0 | -raw -plist -url -q
  . localhost * : text* !unknown@0 | -read~ -readall~ -list~ -search~ -cat~ -ls~ -raw -plist -url -q
    create* delete* append merge change* passwd auth* mcx* cd push pop diff : !unknown
    read readall list search cat ls : text*
defaults : !unknown | -currentHost -host=text
  read read-type : charset text* | -g -globalDomain -currentHost -app=text
  domains find help : text* | -g -globalDomain -currentHost -app=text
  export : text write-stream | -g -globalDomain -app=text
# Without a verb it checks. -extract and -convert write the file itself, unless -o names another.
plutil : read* apart with:plists | -lint -p -help -s -r -n -type=text -expect=text -extract=text=text -convert=text -o=write-stream -e=suffix
profiles : !unknown
  list show status validate help version : text* | -type=text -verbose -output=write -user=text -all -cached
textutil : read* !unknown@0 | -info~ -help~ -stdout~ -convert=text -cat=text -fontname=text -fontsize=text -format=text -inputencoding=text -encoding=text -strip -nostore -noload -nosubst
lipo : read* !unknown@0 | -archs~ -info~ -detailed_info~ -verify_arch~
spctl : read* !unknown@0 first | -a~ --assess~ --status~ --disable-status~ --list~ -t=text --type=text -v -vv -vvv --verbose=text? --raw --context=text --continue --ignore-cache --no-cache --label=text --path --anchor --requirement --hash
# What is displayed goes to standard output when the file is a dash.
codesign : read* !unknown@0
  | -h~ -d~ --display~ -v~ --verify~ -vv~ -vvv~ -vvvv~ -dv~ -dvv~ -dvvv~ -dvvvv~ --validate-constraint~ --verbose=text? --deep --strict=text? --check-notarization!connects --all-architectures -a=text --architecture=text --xml --der --continue --ignore-resources -R=text --test-requirement=text --bundle-version=text
  | --entitlements=write-stream -r=write-stream --requirements=write-stream --file-list=write-stream --extract-certificates=write
# It changes images by options alone.
sips : read* apart | -g=text --getProperty=text --formats -v --verify -1,--oneLine -h -H --help --helpProperties --debug --man -x,--extractProfile=write -X,--extractTag=text=write
security : !unknown
  list-keychains default-keychain login-keychain : | -d=text
  # Attributes alone, but with the secrets when it is told to.
  find-generic-password find-internet-password dump-keychain : text* !secrets | -[wg]
  find-identity : text* | -[vh] -[pse]=text
  find-key : text* | -h -[acjlstuo]=text
  get-identity-preference : | -s=text -[pcZh]
  translocate-policy-check translocate-status-check translocate-original-path : read | -h
  list-smartcards : | -h
  # What a signed file holds.
  cms : | -D -i=read
  leaks : | -[h] -cycles -nocontext -nostacks
  # The rule of a right, from the database that says who may.
  authorizationdb/read : text
  smartcards/token : | -l
  error : text* | -# -h
  show-keychain-info find-certificate dump-trust-settings verify-cert help : text* | -[aZpmsh] -[ce]=text
# Its report goes to a file in /tmp, or to the one that is named.
sample : text* apart !writes@0 | -wait -mayDie -fullPaths -file=write~
symbols : read* apart | -v -help -uuid=text? -arch=text -w -noSources -noTextInSOD -noDaemon -onlyNList -fullSourcePath -printSignature -lookup=text -saveSignature=write
binhex macbinary applesingle : !unknown
  probe : read* | -v,--verbose
  encode decode : read* !writes@0 | -c~ --to-stdout~ -v,--verbose -C,--directory=write -o,--rename=write
compression_tool : apart | -encode -decode -v -h -A -[atb]=text -i=read -o=write
mdimport : read* !unknown@0 | -t~ -L~ -A~ -X~ -d=text
say : text* | -[vra]=text -i --progress --voice=text --rate=text --audio-device=text --interactive=text? --quality=text --channels=text --bit-rate=text --file-format=text --data-format=text -f,--input-file=read -o,--output-file=write
xattr : text* | -l -r -v -x -p -h
# Looking at the machine, its files and its settings.
sw_vers : | -productName -productVersion -productVersionExtra -buildVersion --productName --productVersion --productVersionExtra --buildVersion
system_profiler : text* | -listDataTypes -xml -json -detailLevel=text -timeout=text -usage
ioreg : | -[abfilrtxy] -[cdknpw]=text
vm_stat : text | -c=text
machine hostinfo :
# What follows -g is what is shown.
pmset : text* !unknown@0 first | -g~ -xml
softwareupdate : text* !unknown@0 !connects at:configured | -l~ --list~ --history~ --list-full-installers~ -a,--all --product-types=text --no-scan --verbose
# Variables of the firmware may hold tokens.
nvram : setting* !secrets | -[px]
csrutil : !unknown
  status report authenticated-root/status :
fdesetup : !unknown
  status isactive list supportsauthrestart haspersonalrecoverykey hasinstitutionalrecoverykey usingrecoverykey version help : | -extended -verbose
kextstat : | -[lka] -[bmA]=text --list-only --no-kernel
kmutil : !unknown
  showloaded : text* | --list-only --no-kernel --show=text --sort=text --arch-info --bundle-identifier=text --variant-suffix=text --show-kernel --show-mach-headers
  log : text*
xcode-select : !unknown@0 | -p~ --print-path~ -v~ --version~ -h~
mdls : read* | -[rl] -name=text -raw -nullMarker=text -plist=write-stream
mdfind : text* | -0 -count -name=text -onlyin=read -literal -interpret -s=text -reprint -attr=text
mdutil : read* !unknown@0 | -s~ -a~ -v
GetFileInfo : read* | -[lP] -[a]=text? -[cdmt]
otool : object* | -[aAfhlLDdtsoSTMRIHGvVxXqQPjrnmBW] -arch=text -function_offsets -dyld_info -dyld_opcodes -addr_slide=text -p=text -mcpu=text
dwarfdump : read* | --all -a --arch=text --debug-info=text? --debug-line=text? --debug-abbrev=text? --debug-aranges --debug-frame=text? --debug-str -u --uuid --verify --statistics --summarize-types --diff --recurse-depth=text -r=text --show-children -c --show-parents -p --show-form -F --name=text -n=text --find=text -f=text --lookup=text --ignore-case -i --regex -x -v --verbose --quiet -o=write --out-file=write
afinfo : read* | -[bdhirx] --info --warnings --xml --brief
ipconfig : !unknown
  getiflist getifaddr getoption getpacket getv6packet getra getsummary getdhcpduid getdhcpiaid ifcount waitall : text*
dscacheutil : text* !unknown@0 | -h~ -q=text~ -a=text=text -cachedump~ -configuration~ -statistics~ -entries=text? -buckets
dsmemberutil : !unknown
  getuuid getid checkmembership getsid help : | -[ugUGsSX]=text -h
log : !unknown
  help : text
  show stream stats : text* | --archive=read --file=read --predicate=text --process=text --style=text --color=text --start=text --end=text --last=text --source --timezone=text --mach-continuous-time --[no-]pager --[no-]signpost --[no-]backtrace --[no-]loss --[no-]info --[no-]debug --level=text --timeout=text --type=text --user=text --unreliable --overview --per-book --per-file --sort=text --count=text
lsappinfo : !unknown
  list info find front metainfo processList visibleProcessList : text* | -all -l -long -only=text -app=text
nettop : | -[cdnxJPr] -[lmpstkL]=text
shortcuts : !unknown
  list : | -f=text --folder-name=text --folders --show-identifiers
  help : text*
pluginkit : text* !unknown@0 | -m~ -A -D -v -vv -vvv -i=text -p=text --raw --duplicates
hidutil : !unknown
  list dump : text | -m=text --matching=text -n --ndjson
systemsetup : text* !unknown@0 | -getdate~ -gettime~ -gettimezone~ -listtimezones~ -getusingnetworktime~ -getnetworktimeserver~ -getsleep~ -getcomputersleep~ -getdisplaysleep~ -getharddisksleep~ -getwakeonmodem~ -getwakeonnetworkaccess~ -getrestartpowerfailure~ -getrestartfreeze~ -getallowpowerbuttontosleepcomputer~ -getremotelogin~ -getremoteappleevents~ -getcomputername~ -getlocalsubnetname~ -getstartupdisk~ -liststartupdisks~ -getwaitforstartupafterpowerfailure~ -getdisablekeyboardwhenenclosurelockisengaged~ -printCommands~ -help~ -version~
# A preview opens a window; what lists plug-ins does not.
qlmanage : text* !unknown@0 | -h~ -m~
sntp : host* !connects | -[dDv46] -t=text
jot : text*
vis unvis : read* | -[bcfhlmnostwSHMe]
uuidgen : | -[rthdH] -[nN]=text --random --time --hdr
airport : text* !unknown@0 first | -I~ --getinfo~ -s~ --scan=text?~ -x --xml -h~
`;
