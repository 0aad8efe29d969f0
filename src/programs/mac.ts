/** Apple's own tools (macOS 14 manuals): only what shows. Everything else of them is unknown. */
export const mac = `
networksetup : text*
  | -listallnetworkservices -listnetworkserviceorder -listallhardwareports -listlocations -getcurrentlocation -getcomputername -getinfo -getdnsservers -getsearchdomains -getmacaddress -getMTU -getMedia
  | -listvalidMTUrange -listValidMTURange -listvalidmedia -listValidMedia -listVLANs -listdevicesthatsupportVLAN -listBonds -isBondSupported -showBondStatus -listpreferredwirelessnetworks
  | -getairportnetwork -getairportpower -getwebproxy -getsecurewebproxy -getftpproxy -getsocksfirewallproxy -getproxybypassdomains -getproxyautodiscovery -getautoproxyurl -getadditionalroutes
  | -getnetworkserviceenabled -getv6automatic -getpassiveftp -listpppoeservices -printcommands -version -help
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
lipo : read* !unknown@0 | -archs~ -info~ -detailed_info~
spctl : read* !unknown@0 | -a~ --assess~ --status~ --disable-status~ -t=text --type=text -v --verbose=text? --raw --context=text
codesign : read* !unknown@0
  | -d~ --display~ -v~ --verify~ -vv~ -vvv~ -vvvv~ -dv~ -dvv~ -dvvv~ -dvvvv~ --verbose=text? --deep --strict=text? --check-notarization!connects --all-architectures -a=text --architecture=text --entitlements=write -r=write --requirements=write --extract-certificates=write
sips : read* !unknown@0 | -g=text~ --getProperty=text~ --formats~
security : !unknown
  list-keychains : | -d=text
  show-keychain-info find-certificate dump-trust-settings verify-cert error help : text* | -[aZpms] -[ce]=text
xattr : text* | -l -r -v -x -p -h
`;
