/** Package managers: what they install may run on installation, so all but looking is code (npm 11, pip 26, uv 0.9, apt 2.6). */
export const packages = `
# Behind a --color without a value stands the verb, or its word.
# The registry is the configuration's, also that of a .npmrc in the working directory, which names programs too (a browser, a viewer, git): what starts one is code.
# Nearly every verb keeps a log where .npmrc says and clears old ones away; an address of a registry in it takes the values of variables.
npm : !writes@0/npm-log | -v~ --version~ -h --help || --json --long -l --silent -s --quiet -q --no-color --color=(always|true|false)? --parseable -p --depth=text --omit=text --include=text --loglevel=text --no-audit --no-fund --no-progress --workspaces --if-present -ws --verbose --registry=url --no-update-notifier --prefer-offline --prefer-online --offline -w=text --workspace=text --unicode --no-unicode --otp=secret
  ls list ll la : text* !writes/npm-log | -a,--all --link --package-lock-only --prod --production --dev --only=text -g,--global
  stars : text !connects at:configured !writes/npm-log !sends/npm-registry
  get : text* !writes/npm-log
  # Without a name, or with a dot, it asks about the name in package.json, which may be a repository: git is then a program that .npmrc names.
  view info show v : package text* with:named !connects at:configured !writes/npm-log !sends/npm-registry
  outdated : package* !connects at:configured !writes/npm-log !sends/npm-registry | -a,--all -g,--global
  search find s se : text* !connects at:configured !writes/npm-log !sends/npm-registry | --searchlimit=text --no-description --searchopts=text --searchexclude=text
  # The names and versions of what is installed go to the registry.
  # Where .npmrc turns the lock file off, what it would install is fetched, with the git that .npmrc names.
  audit : !runs-code/npm !connects at:configured | --audit-level=text --production --only=text --dry-run --package-lock-only
    signatures : !connects at:configured !writes/npm-log !sends/npm-registry
    fix : !runs-code
  ping whoami : !connects at:configured !writes/npm-log !sends/npm-registry
  root prefix bin : !writes/npm-log | -g,--global
  explain why : text* !writes/npm-log
  # A name may be a repository, as with view: git is then a program that .npmrc names.
  fund : package* !runs-code@1 !writes/npm-log | --no-browser~ --browser=code --which=text
  # It cleans the cache up, as cache verify does.
  doctor : text* !writes !connects at:configured
  query : npm-query !writes/npm-log
  pkg : !unknown
    get : text* !writes/npm-log
  # Without two packages it compares with the working directory, whose prepare script runs first.
  diff : text* !runs-code !connects at:configured
  sbom : !writes/npm-log | --sbom-format=text --sbom-type=text --package-lock-only
  completion :
  docs repo home bugs issues : package* !runs-code@0 !connects at:configured | --no-browser~ --browser=code
  help help-search : text* !runs-code
  version : text !history@1 !writes/npm-log
  # npm shows no secret of its configuration.
  config c : !unknown
    get list ls : text* !writes/npm-log | -g,--global
  run run-script : text* with:npm-script
  test t tst start stop restart : text* with:npm-script
  install i add ci update up upgrade install-test it install-ci-test cit : text* !runs-code fetches:npm
  create init : text* !runs-code fetches:npm@1
  rebuild exec x uninstall remove rm un link prune dedupe pack : text* !runs-code
  # What the package itself says is run before it is sent.
  publish : text* !publishes !runs-code
  unpublish deprecate login logout adduser star unstar hook : text* !publishes
  access : !publishes@0
    list/packages list/collaborators ls-packages ls-collaborators get/status : package* !connects at:configured !writes/npm-log !sends/npm-registry
    set grant revoke public restricted edit : text* !publishes
  dist-tag dist-tags : !publishes@0
    ls list : package !connects at:configured !writes/npm-log !sends/npm-registry
    add set rm : text* !publishes
  owner : !publishes@0
    ls list : package with:named !connects at:configured !writes/npm-log !sends/npm-registry
    add rm : text* !publishes
  team org : !publishes@0
    ls list : text* !connects at:configured !writes/npm-log !sends/npm-registry
    create destroy add set rm : text* !publishes
  profile : !publishes@0
    get : text !connects at:configured !writes/npm-log !sends/npm-registry
    set enable-2fa disable-2fa : text* !publishes
  token : !publishes@0
    list ls : !connects at:configured !writes/npm-log !sends/npm-registry
    create revoke : text* !secrets !publishes
  cache : !unknown
    ls : text* !writes/npm-log
    verify : !writes
npx pnpx bunx uvx pipx : text* !runs-code
# Whatever is asked of them, they first load code that a file of the project names: .pnpmfile.cjs, yarnPath, packageManager. A verb that is none is a script's name.
pnpm : text* !runs-code@1 !runs-code/pnpm | -v --version -h --help
  list ls la ll why : text* !runs-code/pnpm | -r --recursive --depth=text --json --long --parseable -P --prod -D --dev --no-optional -g --global --only-projects
  install i add update up upgrade dlx create import fetch : text* !runs-code !runs-code/pnpm fetches:npm
  outdated : text* !runs-code/pnpm !connects at:configured | -r --recursive --json --long --compatible --format=text -P --prod -D --dev --no-optional -g --global --no-table
  licenses : text* !runs-code@0
    list ls : !runs-code/pnpm | --json --long -P --prod -D --dev --no-optional
# Both lines of yarn know these verbs, and take any other for a script.
yarn : text* !runs-code@1 !runs-code/yarn | -v --version -h --help
  install add up upgrade dlx create : text* !runs-code !runs-code/yarn fetches:npm
  why : text !runs-code/yarn !connects at:configured
  info : text* !runs-code/yarn !connects at:configured | --json
  # The newer line takes these for a script, or for a program of a dependency.
  outdated audit : text* !runs-code/yarn-script !connects at:configured | --json --level=text --groups=text
  run run-script : text* !runs-code/yarn with:npm-script
  test t tst start : text* with:npm-script
  publish login logout : text* !publishes !runs-code
pip pip2 pip3 : || --debug --exists-action=text --use-feature=text --use-deprecated=text --no-cache-dir --cache-dir=write --log=write --proxy=url!sends --cert=read --client-cert=secret --trusted-host=text!unknown --python=code --keyring-provider=text!unknown -v,--verbose -q,--quiet --no-color --no-input --disable-pip-version-check --isolated --no-python-version-warning --require-virtualenv --timeout=text --retries=text -h~ --help~ | -V~
  list : at:configured | -i,--index-url,--pypi-url=url --extra-index-url=url -f,--find-links=text!unknown -o,--outdated!connects -u,--uptodate!connects -e,--editable -l,--local --user --path=read --pre --format=text --not-required --exclude-editable --include-editable --exclude=text --no-index
  show : text* | -f,--files
  # Of what is installed as editable it asks git and hg in the directory that the installation names; below --path that may be one with hooks of its own.
  freeze : | -r,--requirement=source -l,--local --user --path=read!runs-code --all --exclude-editable --exclude=text
  check : 
  inspect : | --local --user --path=read
  index : !unknown
    versions : package !connects at:configured | --pre --json -i,--index-url,--pypi-url=url --extra-index-url=url --no-index --only-binary=text --no-binary=text --python-version=text --platform=text --abi=text --implementation=text --ignore-requires-python
  search : text* !connects at:configured
  debug : | --platform=text --python-version=text --implementation=text --abi=text
  completion : | -[bzf] --bash --zsh --fish --powershell
  hash : read* | -a,--algorithm=text
  help : text*
  config : !unknown
    list get debug : text* !secrets
  cache : !unknown
    dir info list : text* | --format=text --abspath
  install download wheel : text* !runs-code@0 fetches:pypi
  uninstall : text* !runs-code@0
# It looks at an environment by starting its interpreter, and the one it finds first is .venv in the working directory.
uv : || -h~ --help~ -q,--quiet -v,--verbose --color=text --no-progress --offline --no-config --native-tls --no-python-downloads --managed-python --no-managed-python --python-preference=text --no-cache -n --cache-dir=write --no-native-tls --config-file=code-file --directory=directory!unknown --project=read!runs-code --allow-insecure-host=text!unknown | -V~
  version : | --short --output-format=text --dry-run
  help : text* | --no-pager
  tree export : text* !runs-code@0
  pip : 
    list : !runs-code@0/uv | --system~ --format=text --outdated!connects -o!connects -e,--editable --exclude-editable --exclude=text --strict --python=code -p=code
    show : text* !runs-code@0/uv | --system~ -f,--files --strict --python=code -p=code
    freeze : !runs-code@0/uv | --system~ --strict --exclude-editable --exclude=text --python=code -p=code
    check : !runs-code@0/uv | --system~ --python=code -p=code
    tree : !runs-code@0/uv | --system~ -d,--depth=text --prune=text --package=text --no-dedupe --invert --show-version-specifiers --strict --outdated!connects --python=code -p=code
    install sync compile : text* !runs-code@0 fetches:pypi
    uninstall : text* !runs-code@0
  python : 
    # A word that is the name of a file is started.
    list : code | --all-versions --all-platforms --all-arches --only-installed --only-downloads --show-urls --output-format=text
    # A path that .python-version names is started, whether it is the system's or not.
    find : code !runs-code/uv | --system --no-project --show-version
    dir : | --bin
    install uninstall pin update-shell upgrade : text* !runs-code
  tool : 
    list : | --show-paths --show-version-specifiers --show-with --show-extras --show-python
    dir : | --bin
    install upgrade : text* !runs-code fetches:pypi
    run uninstall update-shell : text* !runs-code
  cache : 
    dir size : | -H,--human
    clean prune : text* !deletes
  auth/dir :
  # What follows its own words is another program's.
  run : text* !runs-code
  sync lock add : text* !runs-code@0 fetches:pypi
  remove init build venv format self : text* !runs-code@0
  publish auth/login auth/logout : text* !publishes
  auth/token : text* !secrets
# The first two load the plug-ins that the project holds before they read their words.
poetry pdm : text* !runs-code | -V --version -h --help
  install add update lock sync : text* !runs-code fetches:pypi
# What follows a verb may be another program's words: \`pipenv run x -V\`.
pipenv hatch rye : text* !runs-code@0 | -V~0
gem : || -h,--help -V,--verbose --silent --debug --backtrace --norc
  search outdated : text* !connects at:configured | -l,--local -a,--all -r,--remote -d,--details -i,--installed -I,--no-installed -q,--quiet --no-verbose --versions --no-versions --no-details -e,--exact --prerelease --no-prerelease -b,--both -v,--version=text --platform=text
  list info contents which environment env help : text* at:configured | -l,--local -a,--all -r,--remote!connects -d,--details -i,--installed -I,--no-installed -q,--quiet --no-verbose --versions --no-versions --no-details -e,--exact --prerelease --no-prerelease -b,--both!connects -v,--version=text -g,--gems-first --prefix --no-prefix --lib-only --no-lib-only --show-install-dir
  # To a dependency -R is to go the other way, --pipe a form of the list.
  dependency : text* at:configured | -l,--local -r,--remote!connects -q,--quiet --no-verbose -R,--reverse-dependencies --pipe -v,--version=text
  # What is installed, and no file of a gem.
  specification spec : package text* | -v,--version=text -a,--all -l,--local --yaml --ruby -q,--quiet --no-verbose --prerelease --no-prerelease --platform=text
  install update fetch : text* !runs-code fetches:elsewhere
  uninstall build exec pristine unpack setup cleanup : text* !runs-code
  push yank owner signin : text* !publishes
# So does composer; bundle restarts as the version of the lock file, from where .bundle/config says.
bundle bundler composer : text* !runs-code | -[vVh] --version --help
  install update add require create-project : text* !runs-code fetches:elsewhere
cpan : text* !runs-code@0 | -v~0
# To cpanm, -v is to say more while it installs.
luarocks cpanm : text* !runs-code
@apt-changes = -y,--yes,--assume-yes -V,--verbose-versions -f,--fix-broken --no-install-recommends --install-suggests --only-upgrade --purge --with-new-pkgs --allow-downgrades --reinstall -t,--target-release=text
@apt-simulates = -s,--simulate,--just-print,--dry-run,--recon,--no-act~
# A verb that only pretends reads what is there, and takes no lock. Those that are not here do what they do all the same.
apt apt-get : !system@1 || -q -qq | @apt-simulates -y,--yes,--assume-yes
  list search show showsrc policy showpkg depends rdepends madison why why-not : text* | -a,--all-versions --installed --upgradable --names-only -n --full -i --verbose
  install reinstall upgrade dist-upgrade full-upgrade : package* !unknown@0 fetches:debian | @apt-simulates @apt-changes
  remove purge autoremove autopurge : package* !unknown@0 | @apt-simulates @apt-changes
# Alone it takes keys from its standard input.
aptitude : !system || -q -qq
  list search show policy showpkg depends rdepends madison versions why why-not : text* | -a,--all-versions --installed --upgradable --names-only -n --full -i --verbose
apt-cache : 
  search show showpkg policy depends rdepends madison stats pkgnames showsrc dump dumpavail unmet dotty xvcg : text* | -a -n -f -i -q --names-only --installed --recurse --no-all-versions --important --no-pre-depends --no-depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances --implicit --full
apt-mark : 
  showhold showheld showmanual showauto showinstall showremove showpurge : text*
  hold unhold manual auto : text* !system
apt-file : !unknown
  search list : text* | -x -F -l
dpkg : text* !system@0
  # -l starts a pager on a terminal, which a person may put the verdict before; dpkg-query -W does not.
  | --no-pager -l,--list~!runs-code -L,--listfiles~ -s,--status~ -S,--search~ -p,--print-avail~ --get-selections~ --print-architecture~ --print-foreign-architectures~ -c,--contents=read~ -I,--info=read~ --compare-versions~ -V,--verify~ --audit~ -C~
dpkg-query : text* | -c,--control-path --control-list --control-show -[LsSWp] -l,--list!runs-code -f,--showformat=text --no-pager --listfiles --status --search --show
# With -f it expands macros in its words, and %(…) is one that a shell runs.
rpm : macro* !system@0
  # With -p the words are files, or addresses that it fetches from. A verification runs the packages' own scripts for it, also behind -q.
  | -q,--query~ -a -i -l -f -p!unknown -c -d -R -V!runs-code --all --info --list --file --queryformat=text --qf=text --requires --provides --changelog --scripts --whatprovides --whatrequires --last --dump --docfiles --configfiles --state --triggers --filesbypkg --conflicts --obsoletes --recommends --suggests --supplements --enhances
  | -[eUFE]!system --install!system --erase!system --upgrade!system --freshen!system --import!system --eval=code --pipe=shell!runs-code --root=text!system --dbpath=text!system --define=text!runs-code --rebuilddb!system
# Whose repositories are asked is the configuration's; a refresh of what is known of them is a cache.
@flatpak = -u --user --system -d --show-details --app --runtime -a --all --columns=text --arch=text --updates --app-runtime=text -r --show-ref -o --show-origin -c --show-commit -s --show-size -m --show-metadata --show-location --show-runtime --show-sdk -M --show-permissions --file-access=text -e --show-extensions --show-disabled --since=text --until=text --reverse
@dnf = -a,--all --installed --available --extras --upgrades --updates --autoremove --recent -l --list -i --info -s --source --requires --provides --conflicts --whatrequires=text --whatprovides=text --whatdepends=text --whatconflicts=text --whatobsoletes=text --whatrecommends=text --whatsuggests=text --whatsupplements=text --whatenhances=text --recursive --tree --qf=text --queryformat=text --latest-limit=text --arch=text --archlist=text -f=text --file=text --duplicates --unneeded --userinstalled --unsatisfied --depends --recommends --suggests --supplements --enhances --obsoletes --changelog --changelogs --location --nevra --nvr --envra --groupmember --srpm --enabled --disabled --hidden --ids --profile --summary --updates-only --with-cve --with-bz --resolve --deplist --exactdeps --alldeps
yum dnf microdnf : !system@0 !unknown@0 || -q,--quiet -v,--verbose -C,--cacheonly -d=text -e=text --color=text --enablerepo=text --disablerepo=text --repo=text --repoid=text --showduplicates --nogpgcheck --noplugins --obsoletes --releasever=text --forcearch=text -x=text --exclude=text --excludepkgs=text --disableexcludes=text --disableexcludepkgs=text --advisory=text --bugfix --security --enhancement --newpackage --cve=text --bz=text --sec-severity=text --best --nobest | --version~
  list search info provides whatprovides check-update repolist repoinfo group/list group/info groupinfo grouplist module/list module/info module/provides updateinfo history/list history/info alias/list : text* !connects at:configured | @dnf
  # What looks like a URL or a path is fetched or read.
  repoquery deplist : package* !connects at:configured | @dnf
# Before the verb -t takes no value, and behind it another one.
zypper : !system@0 !unknown@0 || -q,--quiet -v,--verbose -A,--no-abbrev -t,--terse --table-style=text -n,--non-interactive -x,--xmlout -i,--ignore-unknown --no-refresh --disable-repositories --no-color --no-cd --no-remote | -V~
  search se info if packages pa patches pch patterns pt products pd repos lr services ls list-updates lu list-patches lp patch-check pchk what-provides wp locks ll licenses targetos tos versioncmp vcmp needs-rebooting ps : text* !connects
    | -s,--details -r,--repo=text -t,--type=text --match-substrings --match-words -x,--match-exact --provides --requires --recommends --suggests --conflicts --obsoletes --name -f,--file-list --search-descriptions -d -C,--case-sensitive -i,--installed-only -u,--not-installed-only --uninstalled-only --verbose --sort-by-name --sort-by-repo --supplements --orphaned --recommended --suggested --unneeded --autoinstalled --userinstalled --system
    | -a,--all -b,--bugzilla=text --cve=text --date=text --severity=text --category=text --issues=text -g --with-optional -P,--priority -N,--sort-by-priority -E,--show-enabled-only -U,--sort-by-uri --url
pacman : text* !system@0 !unknown@0 | -V~ -h~
  | -Q~ --query~ -Qc~ -Qd~ -Qe~ -Qg~ -Qi~ -Qii~ -Ql~ -Qm~ -Qn~ -Qo~ -Qq~ -Qs~ -Qt~ -Qu~ -Qdt~ -Qdtq~ -Qeq~ -Qen~ -Qet~ -Qqe~ -Qqen~ -Qqm~ -Qql~ -Qqs~ -Qqd~ -Qqdt~ -Qil~ -Qlq~ -Qsq~ -Qk~ -Qkk~
  | -Ss~ -Si~ -Sii~ -Sg~ -Sgg~ -Sl~ -Ssq~ -Sqs~ -Slq~ -F~ -Fl~ -Fx~ -Fq~ -T~ --deptest~ -q --quiet -v --verbose --color=text --noconfirm
apk : !system@0 !unknown@0 || -q,--quiet -v,--verbose --no-progress --no-network --no-cache --print-arch --timeout=text --wait=text | --version~ -V~
  info list search policy dot stats version audit : text* !connects at:configured
    | -a,--all -d,--description -e,--installed -L,--contents -P,--provides -r,--rdepends -R,--depends -s,--size -w,--webpage -W,--who-owns=text --install-if --license --replaces --rinstall-if -t,--triggers -I -A,--available -o,--orphaned -O -u,--upgradable --exact -x --has-origin --origin -l,--limit=text --check --test --packages --backup --system --recursive --errors --installed-only
snap : !system@0 !unknown@0
  list find search info version changes tasks connections interface interfaces services known warnings model whoami logs debug/confinement debug/paths : text* !connects at:configured | --all --color=text --unicode=text --verbose --abs-time --private --narrow --section=text --last=text -n=text --disconnected --attrs --remote --serial --assertion
  help : text* | --all
flatpak : !system@0 !unknown@0 | --version~ --default-arch~ --supported-arches~ --gl-drivers~ --installations~
  list info remotes history ps document-list document-info permissions permission-show : text* | @flatpak
  search remote-ls remote-info : text* !connects | @flatpak --cached
# Verbs that open a Portfile evaluate it, and without a name it is that of the working directory.
port : text* !system@0 !unknown@0
  list installed search outdated version platform help : text* | -[vqdu]
nix nix-env nix-shell guix pkg emerge : text* !system !unknown
# What conda and its like know of environments; plug-ins are installed, not named by the working directory.
# Versions of a language beside each other: what the person installed, and which one a file of the working directory chooses by its name.
pyenv : !unknown@0 | -v~ --version~ -h~ --help~
  versions : | --bare --skip-aliases --skip-envs
  version version-name version-file version-origin root shims commands : | --short
  which whence prefix : name
  latest : text | -k,--known -q,--quiet
  # With a word behind them they set it.
  global local : text* !persists@1 !writes@1
  install : text* !runs-code@0 | -l,--list~
# Its like for Ruby and Node.
rbenv nodenv : !unknown@0 | -v~ --version~ -h~ --help~
  versions : | --bare --skip-aliases
  version version-name version-file version-origin root : 
  shims commands : | --short
  which whence prefix : name
  global local : text* !persists@1 !writes@1
# What it knows of other versions its plug-ins tell, which are programs; what is installed it finds in its own directories, and asks the person's own plug-ins at most how a file of another
# tool (.ruby-version) is read. The second word of "list all" is one too many.
asdf : !unknown@0 | --version~ -h~ --help~
  list current : name
  version info : 
  where : name name
  shim-versions shimversions : name
  plugin/list : | --urls --refs
fnm : !unknown@0 | -V~ --version~ -h~ --help~
  list ls current :
# When it ends, it hands what was done to the program that the hooks of the project name.
volta : !unknown@0 !runs-code/volta | -v~ --version~ -h --help
  list ls : text !runs-code/volta | --format=(human|plain) -c,--current -d,--default
  which : text !runs-code/volta
conda mamba micromamba : !runs-code@0 | -V~ -h~ || -q,--quiet -v,--verbose --json --debug --trace
  list : text | -n,--name=text -c,--canonical -f,--full-name --explicit --md5 -e,--export -r,--revisions --no-pip --auth!secrets --show-channel-urls --reverse
  info : text* at:configured | -a,--all --base -e,--envs -l,--license -s,--system!secrets --root --unsafe-channels!secrets
  env/list :
  search : text* !connects | --envs -i,--info -f --offline -t,--platform=text --subdir=text --skip-flexible-search --full-name
  config/sources config/describe : text*
`;
