/** Containers and clusters (Docker 20.10-27, kubectl 1.31, Helm 3.16): looking is allowed; every change is on another machine. */
export const containers = `
@list = -a --all -q --quiet -f=text --filter=text --format=text --no-trunc
@compose = -f,--file=compose-file --profile=text -p,--project-name=text --env-file=read!runs-code --project-directory=compose-directory --ansi=text --progress=text --all-resources --compatibility --parallel=text --no-ansi --verbose
@compose-shows = --services --status=text --json -s --short --orphans --index=text --protocol=text --no-stream --since=text --until=text
@compose-logs = -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --no-color --no-log-prefix --index=text
@compose-config = --services~ --volumes~ --images --profiles --networks~ --models~ --variables~ -q,--quiet~ --format=text --hash=text~ --no-interpolate --no-normalize --no-consistency --no-path-resolution --no-env-resolution --resolve-image-digests --lock-image-digests -o,--output=write --environment!secrets
@selectors = -A --all-namespaces=(true|false)? -l=text --selector=text --field-selector=text --show-labels=(true|false)? -w --watch=(true|false)? --watch-only=(true|false)? --sort-by=text --no-headers=(true|false)? --ignore-not-found=(true|false)? --chunk-size=text -L=text --label-columns=text --output-watch-events --show-kind --show-events=(true|false)? --subresource=text --server-print -R --recursive

docker podman nerdctl : || --help | -v -D,--debug -l,--log-level=text -H,--host=host!remote -c,--context=text!connects --config=code-file --tls --tlsverify --tlscacert=read --tlscert=secret --tlskey=secret
  ps : at:configured | @list -l,--latest -n,--last=text -s,--size --ns,--namespace --pod -p --sort=text --noheading --external
  images : text at:configured | @list --digests --tree -n,--noheading --sort=text --history
  version info : at:configured | -f,--format=text
  logs : text* at:configured | -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --details --names --color -l,--latest
  # The configuration of a container holds its variables.
  inspect : text* with:inspected at:configured | -f,--format=text -s,--size --type=text -l,--latest
  # Behind the container stand the options of ps, among which "e" shows every process's environment.
  top : text* with:processes at:configured
  port diff wait : text* at:configured | -a,--all -l,--latest --format=text
  history : text at:configured | -H,--human --no-trunc -q,--quiet --format=text --platform=text
  stats : text* at:configured | -a,--all --no-stream --no-trunc --format=text --no-reset -i,--interval=text -l,--latest
  events : at:configured | -f,--filter=text --format=text --since=text --until=text --no-trunc --stream=text?
  search : package !connects at:configured | -f,--filter=text --format=text --limit=text --no-trunc --list-tags
  # A stream on standard output, unless a file is named.
  save export : text* | -o,--output=write --platform=text --format=text -q,--quiet -m,--multi-image-archive --compress --uncompressed
  help : text*
  container : 
    export : text | -o,--output=write
    ls list ps : at:configured | @list -l,--latest -n,--last=text -s,--size --ns,--namespace --pod -p --sort=text --noheading --external
    logs : text* at:configured | -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --details --names --color -l,--latest
    inspect : text* with:inspected at:configured | -f,--format=text -s,--size -l,--latest
    top : text* with:processes at:configured | -l,--latest
    port diff stats : text* at:configured | -a,--all --no-trunc -f=text --format=text -s,--size --since=text --until=text -n,--tail=text -t,--timestamps --no-stream -l,--latest
    # Whether there is one: the exit status says.
    exists : text at:configured | --external
  image : 
    ls list : text at:configured | @list --digests --tree -n,--noheading --sort=text --history
    inspect : text* at:configured | -f,--format=text --platform=text
    history : text at:configured | -H,--human --no-trunc -q,--quiet --format=text --platform=text
    exists tree diff : text at:configured | --whatrequires --format=text
    trust/show : text | --json --raw --noheading
  artifact/ls artifact/inspect quadlet/list farm/list : text at:configured | --format=text -n,--noheading --no-trunc
    save : text* | -o,--output=write --platform=text
  volume network : 
    ls list : at:configured | @list --cluster -n,--noheading
    inspect : text* at:configured | -f,--format=text -v,--verbose -a,--all
    exists : text at:configured
  system : 
    df : at:configured | -v,--verbose --format=text
    info : at:configured | -f,--format=text
    events : at:configured | -f,--filter=text --format=text --since=text --until=text
    connection/list connection/ls : | -f,--format=text -q,--quiet
  # Podman's own: pods, its virtual machines, and descriptions that go to standard output.
  pod : 
    ps ls list : at:configured | @list --ctr-ids --ctr-names --ctr-status --ns,--namespace --sort=text --noheading -l,--latest
    top : text* with:processes at:configured | -l,--latest
    inspect logs stats exists : text* at:configured | -f=text --format=text -l,--latest --no-stream --no-reset -a,--all --since=text --until=text --tail=text -t,--timestamps --names --color
  machine : 
    list ls info inspect : text* | -f=text --format=text -n,--noheading -q,--quiet
  generate kube : 
    kube generate : text* !secrets@0 at:configured | -s,--service -t=text --type=text --replicas=text --podman-only --no-trunc -f,--filename=write
  context : 
    ls list : | -q,--quiet --format=text
    show : 
    inspect : text* | -f,--format=text
  # No engine gives a secret back.
  node secret swarm : 
    ls list ps : text* at:configured | @list --no-resolve
    inspect : text* at:configured | -f,--format=text --pretty
  service stack config : 
    ls list ps services : text* at:configured | @list --no-resolve --orchestrator=text
    inspect : text* with:inspected at:configured | -f,--format=text --pretty
    logs : text* at:configured | -f,--follow --since=text -n,--tail=text -t,--timestamps --details --no-resolve --no-task-ids --no-trunc --raw
  plugin : 
    ls list : at:configured | @list
    inspect : text* at:configured | -f,--format=text
  checkpoint/ls : text at:configured | --checkpoint-dir=read
  buildx builder : || --builder=text -D,--debug
    ls version du : at:configured | --format=text --verbose --filter=text --no-trunc --timeout=text
    inspect : text at:configured | --timeout=text
    history/ls history/inspect history/logs : text at:configured | --filter=text --format=text --no-trunc --local --progress=text --type=text
    imagetools : 
      inspect : package* !connects at:configured | --format=text --raw
  manifest : 
    inspect : package* !connects at:configured | -v,--verbose --insecure!unknown
  trust : 
    inspect : text* | --pretty
  compose : | @compose
    ls : !runs-code/compose at:configured | -a,--all --filter=text --format=text -q,--quiet
    version : | @compose-shows
    # The project may include parts that its files say where to fetch.
    ps images top port events stats volumes : text* !runs-code/compose !connects at:configured | @list @compose-shows
    logs : text* !runs-code/compose !connects at:configured | @compose-logs
    # Whole, it shows what stands in files of variables.
    config convert : text* !secrets@0 !runs-code/compose !connects at:configured | @compose-config
    up down start stop restart build run exec pull push rm kill create pause unpause cp watch wait attach scale publish commit export : text* !remote !runs-code
  # They need a word: without one they show their help, or fail.
  run exec build cp commit import start stop restart kill rm rmi create pull tag rename update attach pause unpause : text* !remote@1 !runs-code@1
  load : text* !remote !runs-code
  push login logout : text* !publishes
docker-compose podman-compose : | @compose -H,--host=host!remote -c,--context=text!connects
  ls : !runs-code/compose at:configured | -a,--all --filter=text --format=text -q,--quiet
  version : | @compose-shows
  ps images top port events stats volumes : text* !runs-code/compose !connects at:configured | @list @compose-shows
  logs : text* !runs-code/compose !connects at:configured | @compose-logs
  config : text* !secrets@0 !runs-code/compose !connects at:configured | @compose-config
  up down start stop restart build run exec pull push rm kill create pause unpause cp scale : text* !remote !runs-code
kubectl oc k : || -n,--namespace=text -o,--output=(json|yaml|wide|name|jsonpath=*|jsonpath-as-json=*|custom-columns=*|go-template=*|custom-columns) --context=text --cluster=text -v,--v=text --request-timeout=text --user=text
  || --as=text!privilege --as-group=text!privilege --kubeconfig=code-file -s,--server=host!remote --token=secret --insecure-skip-tls-verify!unknown -h~ --help~ --allow-missing-template-keys --show-managed-fields=text? --match-server-version --tls-server-name=text --disable-compression --cache-dir=write --certificate-authority=read --client-certificate=secret --client-key=secret --warnings-as-errors
  get describe : kube-resource* !connects at:configured | @selectors --raw=(/healthz|/livez|/readyz|/healthz?verbose|/livez?verbose|/readyz?verbose|/version|/metrics|/api|/apis|/openapi/v2|/openapi/v3|/apis/metrics.k8s.io/v1beta1/nodes|/apis/metrics.k8s.io/v1beta1/pods) -f,--filename=read!secrets -k,--kustomize=read-tree!secrets --template=text
  logs : text* !connects at:configured | @selectors -f,--follow --tail=text --since=text --since-time=text -p,--previous -c,--container=text --timestamps --all-containers --prefix --max-log-requests=text --limit-bytes=text --ignore-errors --pod-running-timeout=text --insecure-skip-tls-verify-backend!unknown --all-pods
  top : text* !connects at:configured | @selectors --containers --sum --use-protocol-buffers
    node nodes pod pods po no : text* !connects at:configured | @selectors --containers --sum
  explain : text* !connects at:configured | --recursive --api-version=text
  version cluster-info : !connects at:configured | --client --short
    dump : !connects at:configured | --template=text --output-directory=write -A,--all-namespaces --namespaces=text --pod-running-timeout=text
  api-resources api-versions : !connects at:configured | --namespaced=text? --api-group=text --verbs=text --no-headers --sort-by=text --cached
  diff : text* !connects at:configured | --field-manager=text --force-conflicts --concurrency=text --prune-allowlist=text --selector=text -f,--filename=read!sends -k,--kustomize=code-file!sends -R,--recursive -l=text --server-side --prune
  events : !connects at:configured | @selectors --for=text --types=text
  wait : text* !connects at:configured | @selectors --all --local -f,--filename=read --template=text --for=text --timeout=text
  options help completion : text*
  auth : 
    # Whose rights are asked about, not used.
    can-i : text* !connects at:configured | --as=text --as-group=text --as-uid=text --list -q,--quiet --subresource=text -A,--all-namespaces --no-headers
    whoami : !connects at:configured
  config : 
    current-context get-contexts get-clusters get-users : text* | --no-headers
    view : | --minify --flatten!secrets --raw!secrets --merge=text --template=text
    use-context set set-context set-cluster set-credentials unset delete-context delete-cluster delete-user rename-context : text* !persists
  rollout : 
    status history : text* !connects at:configured | --revision=text -w,--watch --timeout=text -f,--filename=read -k,--kustomize=code-file -R,--recursive --template=text -l,--selector=text
    restart undo pause resume : text* !remote
  apply : text* !remote@1
    view-last-applied : kube-resource* !connects at:configured | --all -l,--selector=text -f,--filename=read!secrets -k,--kustomize=read-tree!secrets -R,--recursive
  # What follows a pod may be its own command's.
  exec run debug : text* !remote
  # They need a word, or an option that is not known: without either they show their help, or fail.
  cp delete edit attach port-forward drain patch replace create scale autoscale label annotate taint cordon uncordon expose set certificate : text* !remote@1
  proxy : !remote@0
  plugin : text* !runs-code@0
    list : | --name-only
  # Its resources may stand on other machines; generators that are programs need an option.
  kustomize : read-tree !connects | --enable-helm!runs-code --helm-command=code --enable-alpha-plugins!runs-code --enable-exec!runs-code -o=write --output=write --load-restrictor=text --reorder=text -e=text!unknown --env=text!unknown --mount=text!unknown --network!unknown --network-name=text!unknown --as-current-user --allow-id-changes --enable-managedby-label
@helm-install = -f,--values=chart --set=text --set-string=text --set-json=text --set-literal=text --set-file=text!unknown --version=text --repo=url -i,--install --create-namespace --wait --wait-for-jobs --atomic --timeout=text --no-hooks --skip-crds --devel --description=text --generate-name -g --name-template=text --replace --force --reset-values --reuse-values --reset-then-reuse-values --history-max=text --cleanup-on-fail --render-subchart-notes --hide-notes --hide-secret -l,--labels=text -o,--output=text --post-renderer=code --post-renderer-args=code --dependency-update!runs-code --disable-openapi-validation --enable-dns!unknown
helm : || -n,--namespace=text --kube-context=text --debug --kubeconfig=code-file --kube-as-user=text!privilege --kube-apiserver=host!remote --kube-token=secret --burst-limit=text --qps=text -h~ --help~ --add-dir-header --alsologtostderr --logtostderr --one-output --skip-headers --skip-log-headers --stderrthreshold=text -v=text --vmodule=text --log-file=write --log-dir=write --log-file-max-size=text --kube-as-group=text!privilege --kube-ca-file=read --kube-tls-server-name=text --kube-insecure-skip-tls-verify!unknown --registry-config=code-file --repository-config=code-file --repository-cache=write
  list ls : !connects at:configured | -[aAdqr] -[fmlo]=text --all --all-namespaces --deployed --failed --pending --filter=text --short --output=text --max=text --selector=text --date --reverse --no-headers --superseded --uninstalled --uninstalling --time-format=text --offset=text
  history : text* !connects at:configured | -o,--output=text --max=text
  # In another form than a table it shows all that get shows.
  status : text* !connects at:configured | -o,--output=(table) --revision=text --show-desc --show-resources
  get : 
    notes metadata : text* !connects at:configured | --revision=text -o,--output=text
    # What was installed holds its Secrets, and the values hold what they are made of.
    all manifest values hooks : text* !secrets !connects at:configured | --revision=text --template=text -a,--all -o,--output=text
  show inspect : text* !connects at:configured
    all chart readme crds values : chart* !connects at:configured | --version=text --repo=url --devel --jsonpath=text --verify --keyring=read --ca-file=read --cert-file=secret --key-file=secret --username=text --password=secret --pass-credentials!secrets --insecure-skip-tls-verify!unknown --plain-http!unknown
  search : 
    repo : text* | -l,--versions --version=text -o,--output=text -r,--regexp --devel --max-col-width=text --fail-on-no-result
    hub : text* !connects at:configured | -o,--output=text --max-col-width=text --list-repo-url --endpoint=url
  repo dependency dep dependencies plugin registry : 
    list ls : text* | -o,--output=text --max-col-width=text
  env : !secrets
  version : | --short --template=text -c,--client
  help completion : text*
  # A chart's schema may name others, by their address.
  lint : chart* !connects@0 at:configured | --strict -f,--values=chart --set-file=text!unknown --set-json=text --set-literal=text --set=text --set-string=text --quiet --with-subcharts --kube-version=text --skip-schema-validation~
  # The name may be left out: then the first word is the chart.
  template : chart* !connects at:configured | -f,--values=chart --set=text --set-string=text --set-json=text --show-only=text -s=text --skip-tests --include-crds --kube-version=text -a,--api-versions=text --is-upgrade --no-hooks --name-template=text --set-file=text!unknown
    | --post-renderer=code --output-dir=write --repo=url --version=text --validate!connects --skip-crds --description=text --timeout=text --wait --wait-for-jobs --atomic --create-namespace --devel --post-renderer-args=code --set-literal=text --keyring=read --verify --untardir=write --pass-credentials!secrets --username=text --password=secret --ca-file=read --cert-file=secret --key-file=secret --insecure-skip-tls-verify!unknown --plain-http!unknown --disable-openapi-validation --replace -g,--generate-name --dry-run=(client)? --release-name --render-subchart-notes --labels=text --enable-dns!unknown --dependency-update!runs-code
  verify : read | --keyring=read
  # A rehearsal renders the chart and asks the cluster; nothing is installed. That of an upgrade begins with the values that were installed.
  install : chart* !remote@0 !connects at:configured | --dry-run=(client|true)?~ @helm-install
  upgrade : chart* !remote@0 !connects at:configured | --dry-run=(client|true)?~!secrets @helm-install
  uninstall delete del un rollback : text* !remote@0 !connects at:configured | --dry-run~ --keep-history --no-hooks --wait --timeout=text --description=text --cascade=text --ignore-not-found --force --cleanup-on-fail --recreate-pods --history-max=text
  test push pull package create : text* !remote
# Local clusters (kind 0.24, minikube 1.34, k3d 5.7): they ask the engine that is configured. What holds a key or a token is not shown here.
kind : || -q,--quiet -v,--verbosity=text -h~ --help~
  version : 
  get : 
    clusters : at:configured
    nodes : at:configured | --name=text -A,--all-clusters
minikube : || -p,--profile=name -v,--v=text --alsologtostderr --logtostderr --stderrthreshold=text --one_output --log_file=write --log_dir=write --user=text --skip-audit -h~ --help~
  status : !connects at:configured | -f,--format=text -o,--output=text -n,--node=text -l,--layout=text
  version : | --short --components -o,--output=text
  ip ssh-host : !connects at:configured | -n,--node=text
  service/list : !connects at:configured | -n,--namespace=text
  options :
  config/get : text
  cache/list : | --format=text
  profile/list node/list addons/list : !connects at:configured | -l,--light -o,--output=text -d,--docs
  image/ls : !connects at:configured | --format=text
  config/view : | --format=text
k3d : || --verbose --trace --timestamps -h~ --help~
  version : 
  cluster : 
    list ls : text* at:configured | --no-headers -o,--output=text --token!secrets
  node registry : 
    list ls : text* at:configured | --no-headers -o,--output=text
k9s skaffold tilt : text* !remote
`;
