/** Containers and clusters (Docker 20.10-27, kubectl 1.31, Helm 3.16): looking is allowed; every change is on another machine. */
export const containers = `
@list = -a --all -q --quiet -f=text --filter=text --format=text --no-trunc
@selectors = -A --all-namespaces -l=text --selector=text --field-selector=text --show-labels -w --watch --watch-only --sort-by=text --no-headers --ignore-not-found --chunk-size=text -L=text --label-columns=text --output-watch-events --show-kind --show-events --subresource=text --server-print -R --recursive

docker podman nerdctl : | -D,--debug -l,--log-level=text -H,--host=host!remote -c,--context=text!remote --config=code-file --tls --tlsverify --tlscacert=read --tlscert=secret --tlskey=secret
  ps : | @list -l,--latest -n,--last=text -s,--size
  images : text | @list --digests --tree
  version info : | -f,--format=text
  logs : text* | -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --details
  # The configuration of a container holds its variables.
  inspect : text* | -f,--format=text -s,--size --type=text
  top : text*
  port diff : text*
  history : text | -H,--human --no-trunc -q,--quiet --format=text
  stats : text* | -a,--all --no-stream --no-trunc --format=text
  events : | -f,--filter=text --format=text --since=text --until=text
  search : package !connects at:configured | -f,--filter=text --format=text --limit=text --no-trunc
  # A stream on standard output, unless a file is named.
  save export : text* | -o,--output=write --platform=text --format=text -q,--quiet -m,--multi-image-archive --compress --uncompressed
  help : text*
  container : 
    export : text | -o,--output=write
    ls list ps : | @list -l,--latest -n,--last=text -s,--size
    logs : text* | -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --details
    inspect top port diff stats : text* | -a,--all --no-trunc -f=text --format=text -s,--size --since=text --until=text -n,--tail=text -t,--timestamps --no-stream
  image : 
    ls list : text | @list --digests --tree
    inspect : text* | -f,--format=text --platform=text
    history : text | -H,--human --no-trunc -q,--quiet --format=text
    save : text* | -o,--output=write --platform=text
  volume network : 
    ls list : | @list
    inspect : text* | -f,--format=text -v,--verbose
  system : 
    df : | -v,--verbose --format=text
    info : | -f,--format=text
    events : | -f,--filter=text --format=text --since=text --until=text
  context : 
    ls list : | -q,--quiet --format=text
    show : 
    inspect : text* | -f,--format=text
  node service stack secret config swarm : 
    ls list ps services : text* | @list --no-resolve
    inspect : text* | -f,--format=text --pretty
    logs : text* | -f,--follow --since=text -n,--tail=text -t,--timestamps --details --no-resolve --no-task-ids --no-trunc --raw
  plugin : 
    ls list : | @list
    inspect : text* | -f,--format=text
  buildx builder : 
    ls version du : | --format=text --verbose --filter=text
    inspect : text
    imagetools : 
      inspect : package* !connects at:configured | --format=text --raw
  manifest : 
    inspect : package* !connects at:configured | -v,--verbose --insecure!unknown
  trust : 
    inspect : text* | --pretty
  compose : | -f,--file=read --profile=text -p,--project-name=text --env-file=read --project-directory=read --ansi=text --progress=text
    ps ls images top version port events : text* | @list --services --status=text --json -s --short --orphans --index=text --protocol=text
    logs : text* | -f,--follow --since=text --until=text -n,--tail=text -t,--timestamps --no-color --no-log-prefix --index=text
    config convert : text* | --services --volumes --images --profiles -q,--quiet --format=text --hash=text --no-interpolate --no-normalize --resolve-image-digests -o,--output=write --environment!secrets
    up down start stop restart build run exec pull push rm kill create pause unpause cp watch wait attach scale : text* !remote !runs-code
  run exec build cp commit load import start stop restart kill rm rmi create pull tag rename update wait attach pause unpause : text* !remote !runs-code
  push login logout : text* !publishes
docker-compose podman-compose : | -f,--file=read --profile=text -p,--project-name=text --env-file=read
  ps images top version port events : text* | @list --services --json
  logs : text* | -f,--follow --tail=text -t,--timestamps --no-color
  config : text* | --services --volumes --images -q,--quiet
  up down start stop restart build run exec pull push rm kill create pause unpause scale : text* !remote !runs-code
kubectl oc k : || -n,--namespace=text -o,--output=(json|yaml|wide|name|jsonpath=*|jsonpath-as-json=*|custom-columns=*|go-template=*|custom-columns) --context=text --cluster=text -v,--v=text --request-timeout=text --user=text
  || --as=text!privilege --as-group=text!privilege --kubeconfig=code-file -s,--server=host!remote --token=secret --insecure-skip-tls-verify!unknown -h~ --help~ --allow-missing-template-keys --show-managed-fields=text? --match-server-version --tls-server-name=text --disable-compression --cache-dir=write --certificate-authority=read --client-certificate=secret --client-key=secret --warnings-as-errors
  get describe : kube-resource* !connects at:configured | @selectors --raw=text!unknown -f,--filename=read!secrets -k,--kustomize=read-tree!secrets --template=text
  logs : text* !connects at:configured | @selectors -f,--follow --tail=text --since=text --since-time=text -p,--previous -c,--container=text --timestamps --all-containers --prefix --max-log-requests=text --limit-bytes=text --ignore-errors --pod-running-timeout=text --insecure-skip-tls-verify-backend!unknown --all-pods
  top : text* !connects at:configured | @selectors --containers --sum --use-protocol-buffers
    node nodes pod pods po no : text* !connects at:configured | @selectors --containers --sum
  explain : text* !connects at:configured | --recursive --api-version=text
  version cluster-info : !connects at:configured | --client --short
    dump : !connects at:configured | --template=text --output-directory=write -A,--all-namespaces --namespaces=text --pod-running-timeout=text
  api-resources api-versions : !connects at:configured | --namespaced=text --api-group=text --verbs=text --no-headers --sort-by=text --cached
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
    view : | --minify --flatten --raw!secrets --merge=text --template=text
    use-context set set-context set-cluster set-credentials unset delete-context delete-cluster delete-user rename-context : text* !persists
  rollout : 
    status history : text* !connects at:configured | --revision=text -w,--watch --timeout=text -f,--filename=read -k,--kustomize=read-tree -R,--recursive --template=text -l,--selector=text
    restart undo pause resume : text* !remote
  exec cp apply delete edit run debug attach port-forward proxy drain patch replace create scale autoscale label annotate taint cordon uncordon expose set certificate : text* !remote
  plugin : text* !runs-code@0
    list : | --name-only
  # Its resources may stand on other machines; generators that are programs need an option.
  kustomize : read-tree !connects at:configured | --enable-helm!runs-code --helm-command=code --enable-alpha-plugins!runs-code --enable-exec!runs-code -o=write --output=write --load-restrictor=text --reorder=text -e=text!unknown --env=text!unknown --mount=text!unknown --network!unknown --network-name=text!unknown --as-current-user --allow-id-changes --enable-managedby-label
helm : || -n,--namespace=text --kube-context=text --debug --kubeconfig=code-file --kube-as-user=text!privilege --kube-apiserver=host!remote --kube-token=secret --burst-limit=text --qps=text -h~ --help~ --add-dir-header --alsologtostderr --logtostderr --one-output --skip-headers --skip-log-headers --stderrthreshold=text -v=text --vmodule=text --log-file=write --log-dir=write --log-file-max-size=text --kube-as-group=text!privilege --kube-ca-file=read --kube-tls-server-name=text --kube-insecure-skip-tls-verify!unknown --registry-config=code-file --repository-config=code-file --repository-cache=write
  list ls : !connects at:configured | -[aAdqr] -[fmlo]=text --all --all-namespaces --deployed --failed --pending --filter=text --short --output=text --max=text --selector=text --date --reverse --no-headers --superseded --uninstalled --uninstalling --time-format=text --offset=text
  status history : text* !connects at:configured | -o,--output=text --revision=text --max=text --show-desc --show-resources
  get : 
    notes metadata : text* !connects at:configured | --revision=text -o,--output=text
    # What was installed holds its Secrets, and the values hold what they are made of.
    all manifest values hooks : text* !secrets !connects at:configured | --revision=text --template=text -a,--all -o,--output=text
  show inspect : text* !connects at:configured
    all chart readme crds values : text* !connects at:configured | --version=text --repo=url --devel --jsonpath=text --verify --keyring=read --ca-file=read --cert-file=secret --key-file=secret --username=text --password=secret --pass-credentials!secrets --insecure-skip-tls-verify!unknown --plain-http!unknown
  search : 
    repo : text* | -l,--versions --version=text -o,--output=text -r,--regexp --devel --max-col-width=text --fail-on-no-result
    hub : text* !connects at:configured | -o,--output=text --max-col-width=text --list-repo-url --endpoint=url
  repo dependency dep dependencies plugin registry : 
    list ls : text* | -o,--output=text --max-col-width=text
  env : !secrets
  version : | --short --template=text -c,--client
  help completion : text*
  lint : read* | --strict -f,--values=read --set-file=text!unknown --set-json=text --set-literal=text --set=text --set-string=text --quiet --with-subcharts --kube-version=text --skip-schema-validation
  template : text read* at:configured | -f,--values=read --set=text --set-string=text --set-json=text --show-only=text -s=text --skip-tests --include-crds --kube-version=text -a,--api-versions=text --is-upgrade --no-hooks --name-template=text --set-file=text!unknown
    | --post-renderer=code --output-dir=write --repo=url --version=text --validate!connects --skip-crds --description=text --timeout=text --wait --wait-for-jobs --atomic --create-namespace --devel --post-renderer-args=code --set-literal=text --keyring=read --verify --untardir=write --pass-credentials!secrets --username=text --password=secret --ca-file=read --cert-file=secret --key-file=secret --insecure-skip-tls-verify!unknown --plain-http!unknown --disable-openapi-validation --replace --generate-name --dry-run=(client|server)? --release-name --render-subchart-notes --labels=text --enable-dns!unknown --dependency-update!runs-code
  verify : read | --keyring=read
  # A rehearsal renders the chart and asks the cluster; nothing is installed.
  install upgrade : text read* !remote@0 !connects at:configured | --dry-run=(client|true)?~ -f,--values=read --set=text --set-string=text --set-json=text --set-literal=text --set-file=text!unknown --version=text --repo=url -i,--install --create-namespace --wait --wait-for-jobs --atomic --timeout=text --no-hooks --skip-crds --devel --description=text
    | --generate-name -g --name-template=text --replace --force --reset-values --reuse-values --reset-then-reuse-values --history-max=text --cleanup-on-fail --render-subchart-notes --hide-notes --hide-secret -l,--labels=text -o,--output=text --post-renderer=code --post-renderer-args=code --dependency-update!runs-code --disable-openapi-validation --enable-dns!unknown
  uninstall delete del un rollback : text* !remote@0 !connects at:configured | --dry-run~ --keep-history --no-hooks --wait --timeout=text --description=text --cascade=text --ignore-not-found --force --cleanup-on-fail --recreate-pods --history-max=text
  test push pull package create : text* !remote
kind minikube k3d k9s stern skaffold tilt eksctl argocd flux istioctl kustomize crictl ctr buildah skopeo : text* !remote
`;
