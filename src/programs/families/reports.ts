/** Programs that report, beside those of the other files: disks, machines below this one, and checks of texts (each by its manual). What else they do is unknown. */
export const reports = `
# Disks and file systems: what is on them is only looked at.
btrfs : !unknown
  filesystem/show fi/show filesystem/df fi/df filesystem/usage fi/us fi/usage device/usage dev/usage subvolume/list su/list sub/list subvolume/show su/show sub/show subvolume/get-default qgroup/show inspect-internal/rootid inspect-internal/dump-super inspect-internal/min-dev-size : text* | -[hkmgtabTdpcuqosRreFfi] --raw --human-readable --iec --si --kbytes --mbytes --gbytes --tbytes --all-devices --mounted --sort=text
  filesystem/du fi/du : read-tree* | -[s] --summarize --raw --human-readable --iec --si
  # With -z they count anew.
  device/stats dev/stats scrub/status balance/status replace/status : text | -[cT1] --check --raw --human-readable --iec --si
  version :
# Its modes are letters: only these three look.
mdadm : text* !unknown@0 lone | -D~ --detail~ -E~ --examine~ -Q~ --query~ -Es~ -Ds~ --detail-platform~ -V~ --version~ -s --scan -v --verbose -b --brief -Y --export --test
sfdisk : text* !system@0 lone | -l~ --list~ -d~ --dump~ -J~ --json~ -F~ --list-free~ -V~ --verify~ -T~ --list-types~ -v~ --version~ -s~ --show-size~ -x~ --list-details~ -o=text --output=text --bytes -q --quiet
sgdisk : text !system@0 lone | -p~ --print~ -v~ --verify~ -i=text~ --info=text~ -O~ --print-mbr~ -L~ --list-types~ -V~ --version~ -F~ -E~ -D~
hdparm : text* !system@0 lone | -I~ -i~ -g~ -C~ -V~
dumpe2fs : text | -[hxVf]
tune2fs : text !system@0 | -l~
e2label : text !system@2
xfs_info : text | -V
lvmconfig : text* | --type=text --typeconfig=text --atversion=text --withcomments --withsummary --withversions -l --list --validate
cryptsetup : !unknown
  status isLuks luksUUID : text | -v --verbose --type=text
lsfd : | -[lJnru] -[poQCi]=text --pid=text --output=text --filter=text --counter=text --summary=text? --threads --json --noheadings --raw --notruncate --inet=text? --list-columns
# Rights, as SELinux and the audit log know them. --checkpoint writes, and --tty shows what was typed.
semanage : !unknown
  port fcontext boolean login user module permissive interface node ibpkey ibendport : text* !system@0 | -l~ --list~ -C,--locallist -n,--noheading
ausearch : text* apart lone | -a=text -c=text -e=text -f=text -gi=text -hn=text -i -k=text -l -m=text -n=text -p=text -pp=text -r -sc=text -se=text -sv=text -te=text -ts=text -tm=text -ua=text -ue=text -ui=text -ul=text -uu=text -vm=text -w -x=text -if=read --input-logs --raw --interpret --just-one --message=text --key=text --start=text --end=text --pid=text --success=text --executable=text
aureport : text* apart lone | -au -a -c -cr -e -f -h -i -k -l -m -ma -n -nc -p -r -s -t -tm -u -v -x -te=text -ts=text -if=read --auth --avc --anomaly --config --crypto --event --executable --failed --file --host --input-logs --interpret --key --login --mods --pid --response --success --summary --syscall --terminal --user --start=text --end=text
# The board's own controller, on this machine alone: with -H it is another's.
ipmitool : !unknown | -v -c -I=(open)
  sensor sensor/list sdr sdr/elist sdr/info sel sel/info chassis/status chassis/power/status chassis/poh chassis/restart_cause power/status fru mc/info bmc/info mc/guid dcmi/power/reading :
  sdr/list sdr/type sdr/get sensor/get sel/list sel/elist sel/get fru/print : text*
# Units of other kinds, and their images.
machinectl : text* !unknown@1 || --no-pager --no-legend -l,--full -a,--all -n,--lines=text -o,--output=text -p,--property=text --value -q,--quiet
  list list-images status show image-status show-image : text*
portablectl : !unknown || --no-pager --no-legend -q,--quiet -l,--full
  list :
oomctl : !unknown@1 || --no-pager
  dump :
systemd-delta : | --no-pager -t,--type=text --diff=text?
# Packages, as what is installed of them says.
debsums : | -[acels] --all --changed --config --list-missing --silent --no-locale-purge --no-prelink
dpkg-divert : text* !system@0 | --list~ --listpackage~ --truename~ --version~
dpkg-statoverride : text* !system@0 | --list~ --version~
apt-rdepends : text* | -[rdsf]=text? -b,--build-depends -p,--print-state --reverse --follow=text --show=text --state-follow=text --state-show=text
pactree : text* | -[clrsuo] -d,--depth=text --color --linear --reverse --sync --unique --optional=text?
expac : text* | -[Q1sSgu] -[Hdlt]=text --query --sync --search --group --humansize=text --timefmt=text --delim=text --listdelim=text --readone
# Machines that run on this one.
limactl : !unknown || --debug --log-level=text --log-format=text --tty=text?
  list ls : text* | -[q] -f,--format=text --json --quiet --all-fields
  info :
  disk/list disk/ls network/list : text* | --json
multipass : !unknown
  list ls version networks aliases : | --format=text --snapshots -v
  info snapshots : text* | --format=text --all --snapshots
VBoxManage vboxmanage : !unknown
  list : text | -l,--long -s,--sorted
  showvminfo : text | --details --machinereadable
  showmediuminfo : text*
  snapshot :
    * : !unknown
      list : | --details --machinereadable
vmrun : !unknown
  list :
  listSnapshots : text
prlctl : !unknown
  list : text* | -[aijft] --all --info --json --full --template -o=text --output=text
qm pct : !unknown
  list : | --full
  status listsnapshot : text | --verbose
pveversion : | -v --verbose
# The kernel's programs and maps by name; what a map holds is not among it.
bpftool : !unknown | -j --json -p --pretty
  prog map link net :
  prog/show prog/list map/show map/list link/show link/list net/show net/list cgroup/tree btf/show btf/list version : text*
# Pictures and sounds: what a display, a card or a mixer is set to.
xrandr : | -q --query --current --verbose --prop --properties --listmonitors --listactivemonitors --listproviders -v --version
xdpyinfo : | -queryExtensions
xset : !unknown
  q :
setxkbmap : !unknown@0 lone | -query~ -print~ -verbose
wmctrl : | -[lmdGpx]
xinput : !unknown
  list : text | --short --long --name-only --id-only
glxinfo : | -[Bbltsv]
clinfo : | -[la] --list --raw --json --human --all
vainfo : | -a --all
vdpauinfo :
wpctl : !unknown
  status : | -n -k --name --nick
  inspect get-volume : text
amixer : | -M
  scontrols controls contents scontents info :
  sget get cget : text
bluetoothctl : !unknown
  list show devices paired-devices info : text
hciconfig : text !system@2 | -a --all
# Printers' and the mail's queues on the machine's own server.
lpstat : text* !connects at:configured | -[aoputrsdvlR] -W=(completed|not-completed|all)
lpq : !connects at:configured | -[al]
mailq :
postqueue : !unknown@0 | -p~ -j~
# Loads, a moment or what was counted.
iotop : | -[boPatkq] -[ndpu]=text --batch --only --processes --accumulated --kilobytes --time --quiet --iter=text --delay=text --pid=text --user=text
vnstat : | -[qsdmhywt5] -i,--iface=text --short --days --months --hours --years --top --fiveminutes --json=text? --oneline=text? --xml=text? --dbiflist --iflist
# With --cache it keeps what it has read.
pdfgrep : text read* | -[iFPHhnclLoqp] -[ABCm]=text --ignore-case --fixed-strings --perl-regexp --with-filename --no-filename --page-number --count --files-with-matches --files-without-match --only-matching --quiet --max-count=text --after-context=text --before-context=text --context=text --color=text
mas : !unknown
  list version :
# Counts and sizes of what is below a directory.
dust : read-tree* | -[rsxbcCfiHpDFPRkjLBt] -[dnXzvewoSMAy]=text -I,--ignore-all-in-file=list --depth=text --number-of-lines=text --full-paths --ignore-directory=text --dereference-links --limit-filesystem --apparent-size --reverse --no-colors --force-colors --no-percent-bars --bars-on-right --min-size=text --screen-reader --skip-total --filecount --ignore-hidden --ignore_hidden --invert-filter=text --filter=text --file-types --file_types --terminal-width=text --terminal_width=text --no-progress --only-dir --only-file --output-format=text --output-json
# What it finds, it corrects when it is told to; a configuration cannot tell it.
typos : read-tree* with:rewriting | -w,--write-changes!writes -[vq] --diff --files --file-types --identifiers --words --highlight-words --highlight-identifiers --type-list --format=text --exclude=text --hidden --no-ignore --no-ignore-dot --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-check-filenames --no-check-files --no-unicode --binary --force-exclude --isolated --sort --locale=text --color=text --verbose --quiet --config=read --dump-config=write-stream
pycodestyle : read-tree* | -[vqr] --verbose --quiet --repeat --first --show-source --show-pep8 --statistics --count --hang-closing --exclude=text --filename=text --select=text --ignore=text --max-line-length=text --max-doc-length=text --indent-size=text --format=text --config=read
pyflakes : read-tree*
vulture : read-tree* | -v --verbose --min-confidence=text --sort-by-size --exclude=text --ignore-names=text --ignore-decorators=text --make-whitelist --config=read
kube-score : !unknown
  version list :
  score : read* | -[v] -o=text --output-format=text --output-version=text --kubernetes-version=text --color=text --ignore-test=text --enable-optional-test=text --exit-one-on-warning --all-default-optional --ignore-container-cpu-limit --ignore-container-memory-limit --disable-ignore-checks-annotations
kube-linter : !unknown
  version :
  checks/list templates/list : | --format=text
  lint : read-tree* | --format=text --include=text --exclude=text --config=read --ignore-paths=text --do-not-auto-add-defaults --add-all-built-in --fail-if-no-objects-found --fail-on-invalid-resource --verbose
pluto : !unknown || -o,--output=text --target-versions=text --no-headers --no-footer --columns=text --ignore-deprecations --ignore-removals -v=text
  version list-versions :
  detect : read
  detect-files : | -d,--directory=read-tree
# Its rules may ask servers and read variables once they are evaluated: what only parses them.
opa : !unknown
  version :
  capabilities : | --current --version=text
  parse : plain-file | -f,--format=text --v0-compatible --v1-compatible
  fmt : plain-file* !writes@0 with:rewriting | -l,--list~ -d,--diff~ --fail --v0-compatible --v1-compatible --rego-v1
# Certificates: what stands in a file of them. An address would be asked.
cfssl : !unknown
  version :
  print-defaults : text
  certinfo : | -cert=plain-file -csr=plain-file
step : !unknown
  version path :
  certificate/inspect certificate/fingerprint certificate/lint : plain-file | --short --bundle --format=(text|json|pem) --sha1
caddy : !unknown
  version build-info :
  list-modules : | --packages --versions -s,--skip-standard
  fmt : read | -d,--diff
# Apple's.
lsbom : read* | -[bcdfhlmsx] -p=text --arch=text
vtool : read !unknown@0 lone undivided | -show~ -show-build~ -show-build-version~ -show-source~ -show-source-version~ -show-space~ -arch=text
dyld_info : read* lone undivided | -platform -segments -dependents -linked_dylibs -uuid -inits -fixups -exports -imports -objc -shared_region -function_starts -load_commands -validate_only -arch=text
memory_pressure : !processes@0 | -Q~
dseditgroup : text !system@0 | -o=(read|checkmember)~ -m=text -n=text -t=text
# Asked for their version alone.
dive traefik : !unknown@0 | --version~
  version :
envoy terragrunt osv-scanner kubeconform buf gitleaks k6 : !unknown@0 | --version~
# A journal beside the database of a working copy may name any file, which is deleted when it is rolled back, whatever is asked for; and a working copy names further ones.
svn : !unknown@0 | --version~ --non-interactive -q,--quiet
`;
