/** Package managers: what they install may run on installation, so all but looking is code (npm 11, pip 26, uv 0.9, apt 2.6). */
export const packages = `
# The registry is the configuration's, also that of a .npmrc in the working directory, which names programs too (a browser, a viewer, git): what starts one is code.
npm : || --json --long -l --silent -s --quiet -q --no-color --color=text --parseable -p --depth=text --omit=text --include=text --loglevel=text --no-audit --no-fund --no-progress --workspaces --if-present -ws --verbose --registry=url --no-update-notifier --prefer-offline --prefer-online --offline -w=text --workspace=text --unicode --no-unicode --otp=secret
  ls list ll la : text* | -a,--all --link --package-lock-only --prod --production --dev --only=text -g,--global
  view info show v : package text* !connects at:configured
  outdated : package* !connects at:configured | -a,--all -g,--global
  search find s se : text* !connects at:configured | --searchlimit=text --no-description --searchopts=text --searchexclude=text
  # The names and versions of what is installed go to the registry.
  audit : !connects at:configured | --audit-level=text --production --only=text --dry-run --package-lock-only
    signatures : !connects at:configured
    fix : !runs-code
  ping whoami : !connects at:configured
  root prefix bin : | -g,--global
  explain why : text*
  fund : text* !runs-code@1 | --no-browser~ --browser=code --which=text
  doctor : text* !connects at:configured
  query : text*
  diff : text* !connects
  sbom : | --sbom-format=text --sbom-type=text --package-lock-only
  completion :
  docs repo home bugs issues : text* !runs-code@0 | --no-browser~ --browser=code
  help help-search : text* !runs-code
  version : text !history@1
  # npm shows no secret of its configuration.
  config c : !unknown
    get list ls : text* | -g,--global
  run run-script : text* with:npm-script
  test t tst start stop restart : text* with:npm-script
  install i add ci update up upgrade rebuild exec x uninstall remove rm un link prune dedupe install-test it install-ci-test cit create init pack : text* !runs-code
  publish unpublish deprecate login logout adduser star unstar hook : text* !publishes
  access : !publishes@0
    list/packages list/collaborators ls-packages ls-collaborators get/status : package* !connects at:configured
    set grant revoke public restricted edit : text* !publishes
  dist-tag dist-tags : !publishes@0
    ls list : package !connects at:configured
    add set rm : text* !publishes
  owner : !publishes@0
    ls list : package !connects at:configured
    add rm : text* !publishes
  team org : !publishes@0
    ls list : text* !connects at:configured
    create destroy add set rm : text* !publishes
  profile : !publishes@0
    get : text !connects at:configured
    set enable-2fa disable-2fa : text* !publishes
  token : !publishes@0
    list ls : !connects at:configured
    create revoke : text* !secrets !publishes
  cache : !unknown
    ls : text*
    verify : !writes
npx pnpx bunx uvx pipx : text* !runs-code
# Whatever is asked of them, they first load code that a file of the working directory names: .pnpmfile.cjs, yarnPath, packageManager.
pnpm yarn : text* !runs-code@0 | -v~
  run run-script : text* with:npm-script
  test t tst start : text* with:npm-script
  publish login logout : text* !publishes !runs-code
pip pip2 pip3 : || -v,--verbose -q,--quiet --no-color --no-input --disable-pip-version-check --isolated --no-python-version-warning --require-virtualenv --timeout=text --retries=text -h~ --help~ | -V~
  list : at:configured | -o,--outdated!connects -u,--uptodate!connects -e,--editable -l,--local --user --path=read --pre --format=text --not-required --exclude-editable --include-editable --exclude=text --no-index
  show : text* | -f,--files
  freeze : | -r,--requirement=read -l,--local --user --path=read --all --exclude-editable --exclude=text
  check : 
  inspect : | --local --user --path=read
  index : !unknown
    versions : package !connects at:configured | --pre --json -i,--index-url,--pypi-url=url --extra-index-url=url --no-index --only-binary=text --no-binary=text --python-version=text --platform=text --abi=text --implementation=text --ignore-requires-python
  search : text* !connects at:configured
  debug : 
  hash : read* | -a,--algorithm=text
  help : text*
  config : !unknown
    list get debug : text* !secrets
  cache : !unknown
    dir info list : text* | --format=text --abspath
  install uninstall download wheel : text* !runs-code
uv : || -q,--quiet -v,--verbose --color=text --no-progress --offline --no-config | -V~
  version : | --short --output-format=text --dry-run
  help : text*
  tree : | --depth=text --no-dedupe --invert --package=text --frozen --outdated!connects --no-dev --locked!runs-code
  pip : 
    list : | --format=text --outdated!connects -o!connects -e,--editable --exclude-editable --exclude=text --strict --system --python=code -p=code
    show : text* | -f,--files --strict --system --python=code -p=code
    freeze : | --strict --system --exclude-editable --python=code -p=code
    check : | --system --python=code -p=code
    tree : | -d,--depth=text --prune=text --package=text --no-dedupe --invert --show-version-specifiers --strict --outdated!connects --system --python=code -p=code
    install uninstall sync compile : text* !runs-code
  python : 
    list : text | --all-versions --all-platforms --all-arches --only-installed --only-downloads --show-urls --output-format=text
    find : text | --system --no-project
    dir : | --bin
    install uninstall pin update-shell upgrade : text* !runs-code
  tool : 
    list : | --show-paths --show-version-specifiers --show-with --show-extras
    dir : | --bin
    run install uninstall upgrade update-shell : text* !runs-code
  cache : 
    dir : 
    clean prune : text* !deletes
  run sync lock add remove init build venv export format self : text* !runs-code
  publish auth : text* !publishes
poetry pipenv conda mamba micromamba pdm hatch rye : text* !runs-code@0 | -V~
gem : 
  list search info contents which environment outdated dependency help : text* at:configured | -l,--local -a,--all -r,--remote!connects -d,--details -i -q,--quiet --no-verbose --versions
  install uninstall update build exec fetch pristine unpack setup cleanup : text* !runs-code
  push yank owner signin : text* !publishes
bundle bundler composer luarocks cpan cpanm : text* !runs-code@0 | -v~
apt apt-get aptitude : !system@1 || -q -qq
  list search show policy showpkg depends rdepends madison : text* | -a,--all-versions --installed --upgradable --names-only -n --full -i --verbose
apt-cache : 
  search show showpkg policy depends rdepends madison stats pkgnames showsrc dump unmet dotty : text* | -a -n -f -i -q --names-only --installed --recurse --no-all-versions --important
apt-mark : 
  showhold showmanual showauto : text*
  hold unhold manual auto : text* !system
apt-file : !unknown
  search list : text* | -x -F -l
dpkg : text* !system@0
  # -l starts a pager on a terminal; dpkg-query -W does not.
  | --no-pager -l,--list~!runs-code -L,--listfiles~ -s,--status~ -S,--search~ -p,--print-avail~ --get-selections~ --print-architecture~ --print-foreign-architectures~ -c,--contents=read~ -I,--info=read~ --compare-versions~ -V,--verify~ --audit~ -C~
dpkg-query : text* | -[LsSWp] -l,--list!runs-code -f,--showformat=text --no-pager --listfiles --status --search --show
rpm : text* !system@0
  | -q,--query~ -a -i -l -f -p -c -d -R -V --all --info --list --file=read --queryformat=text --qf=text --requires --provides --changelog --scripts --whatprovides --whatrequires
  | -[eUFE]!system --install!system --erase!system --upgrade!system --freshen!system --import!system --eval=code --pipe=shell!runs-code --root=text!system --dbpath=text!system --define=text!runs-code --rebuilddb!system
yum dnf zypper microdnf pacman apk snap flatpak port nix nix-env nix-shell guix pkg emerge : text* !system !unknown
`;
