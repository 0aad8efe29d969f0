/** Apple's own tools (macOS 14 manuals): only what shows. Everything else of them is unknown. */
export const mac = `
networksetup : text*
  | -listallnetworkservices -listnetworkserviceorder -listallhardwareports -listlocations -getcurrentlocation -getcomputername -getinfo -getdnsservers -getsearchdomains -getmacaddress -getMTU -getMedia
  | -listvalidMTUrange -listValidMTURange -listvalidmedia -listValidMedia -listVLANs -listdevicesthatsupportVLAN -listBonds -isBondSupported -showBondStatus -listpreferredwirelessnetworks
  | -getairportnetwork -getairportpower -getwebproxy -getsecurewebproxy -getftpproxy -getsocksfirewallproxy -getproxybypassdomains -getproxyautodiscovery -getautoproxyurl -getadditionalroutes
  | -getnetworkserviceenabled -getv6automatic -getpassiveftp -listpppoeservices -showpppoestatus -getv6additionalroutes -getstreamingproxy -listfilters -printcommands -version -help
launchctl : !unknown
  list print print-cache print-disabled blame dumpstate hostinfo version managername manageruid managerpid resolveport procinfo plist error variant help : text*
pkgutil : text*
  | --pkgs=text? --pkgs-plist --pkg-info --pkg-info-plist --files --export-plist --file-info --file-info-plist --file-list --groups --groups-plist --pkg-groups --group-pkgs --volumes --check-signature --payload-files
  | --only-files --only-dirs --regexp --volume=read --help -h -v,--verbose
scutil : text* !unknown@0 | --dns~ --proxy~ --nwi~ --get=text~
tmutil : !unknown
  latestbackup listbackups destinationinfo status currentphase listlocalsnapshots listlocalsnapshotdates machinedirectory isexcluded uniquesize calculatedrift version help : read* | -[mntXx]
  compare : read* | -[@acdefglmnpstuEUX] -[DI]=text
hdiutil : !unknown
  info plugins help : | -plist
  imageinfo verify isencrypted checksum pmap : read* | -plist -format -checksum -quiet -verbose -type=text
diskutil : !unknown
  list info information activity listFilesystems listfilesystems : text* | -plist -all
  apfs appleRAID ar coreStorage cs : !unknown
    list listUsers listCryptoUsers listSnapshots listVolumeGroups info information : text* | -plist
# The first word is a directory node; without a verb commands are read from standard input.
dscl : text* !unknown@0 | -read~ -readall~ -list~ -search~ -raw -plist -url -q
defaults : !unknown | -currentHost
  read read-type domains find help : text* | -g -globalDomain -currentHost -app=text
# -extract and -convert write the file itself.
plutil : read* !unknown@0 | -lint~ -p~ -type=text~ -s
profiles : !unknown
  list status help version : text* | -type=text -verbose -output=write -user=text -all
textutil : read* !unknown@0 | -info~
lipo : read* !unknown@0 | -archs~ -info~ -detailed_info~ -verify_arch~
spctl : read* !unknown@0 | -a~ --assess~ --status~ --disable-status~ -t=text --type=text -v --verbose=text? --raw --context=text
codesign : read* !unknown@0
  | -h~ -d~ --display~ -v~ --verify~ -vv~ -vvv~ -vvvv~ -dv~ -dvv~ -dvvv~ -dvvvv~ --verbose=text? --deep --strict=text? --check-notarization!connects --all-architectures -a=text --architecture=text --entitlements=write -r=write --requirements=write --extract-certificates=write
sips : read* !unknown@0 | -g=text~ --getProperty=text~ --formats~ -v~ --verify~ -1,--oneLine -h~ -H~ --help~ --helpProperties~
security : !unknown
  list-keychains : | -d=text
  find-identity : text* | -[vh] -[pse]=text
  find-key : text* | -h -[acjlstuo]=text
  get-identity-preference : | -s=text -[pcZh]
  translocate-policy-check translocate-status-check translocate-original-path : read | -h
  list-smartcards : | -h
  leaks : | -[h] -cycles -nocontext -nostacks
  show-keychain-info find-certificate dump-trust-settings verify-cert error help : text* | -[aZpmsh] -[ce]=text
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
`;
