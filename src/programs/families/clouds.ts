/** Clouds (AWS CLI 2.15, gcloud 460; Azure is in azure.ts): a server decides by the verb, so reading verbs pass and all others change something. */
export const clouds = `
@aws-read = describe-* list-* get-* head-* batch-get-* batch-describe-* search-* search lookup-* filter-log-events scan scan-provisioned-products query query-* select select-resource-config select-aggregate-resource-config estimate-* check-dns-availability check-if-phone-number-is-opted-out check-schema-version-validity check-access-not-granted check-no-new-access check-no-public-access check-capacity check-domain-availability check-domain-transferability check-document-access preview-agents preview-privacy-impact validate-* simulate-custom-policy simulate-principal-policy test-event-pattern test-metric-filter test-transformer test-custom-data-identifier test-authorization test-dns-answer test-render-template test-render-email-template verify verify-mac detect-* compare-faces view-billing admin-get-* admin-list-* transact-get-items is-authorized is-authorized-with-token is-member-in-groups is-vpc-peered count-closed-workflow-executions count-open-workflow-executions count-pending-activity-tasks count-pending-decision-tasks calculate-route calculate-route-matrix calculate-routes calculate-isolines discover-instances discover-instances-revision evaluate-pull-request-approval-rules download-db-log-file-portion retrieve retrieve-environment-info generate-credential-report generate-service-last-accessed-details generate-organizations-access-report
# What mints a credential, and what the service's model marks as sensitive where it is one: secrets, addresses that carry their own right, the variables
# of workloads and the texts that machines start with (botocore 1.43).
@aws-secret = get-secret-value get-webhook list-webhooks get-container-services get-container-service-deployments batch-get-secret-value get-parameter get-parameters get-parameters-by-path get-parameter-history get-login-password get-login get-authorization-token get-session-token get-federation-token get-password-data get-token get-api-key get-api-keys list-api-keys get-open-id-token get-open-id-token-for-developer-identity get-credentials-for-identity get-role-credentials get-cluster-credentials get-cluster-credentials-with-iam get-cluster-session-credentials get-credentials get-access-token get-web-identity-token get-delegated-access-token get-random-password get-instance-access get-instance-access-details get-compute-access get-compute-auth-token get-key-pair get-key-pairs get-relational-database-master-user-password get-workload-access-token get-workload-access-token-for-jwt get-workload-access-token-for-user-id get-resource-api-key get-resource-oauth2-token get-resource-payment-token get-challenge-password get-client-token get-tokens-from-refresh-token get-data-access get-external-data-view-access-details get-programmatic-access-credentials get-kx-connection-string get-managed-endpoint-session-credentials get-identity-center-auth-token get-space-credentials-for-organization get-environment-credentials get-session-endpoint get-stream-key batch-get-stream-key get-ingest-configuration get-acme-external-account-binding-credentials get-temporary-data-location-credentials get-temporary-glue-partition-credentials get-temporary-glue-table-credentials get-third-party-job-details get-job-details get-iam-portal-login-url get-decrypted-api-key get-job-unlock-code get-job-manifest get-dashboard-embed-url get-session-embed-url get-on-cluster-app-ui-presigned-url get-persistent-app-ui-presigned-url get-case-attachment-upload-url get-agent-task-response-url get-file-upload-url get-evidence-file-upload-url get-oidc-info get-opentdf-config get-attendee list-attendees describe-user-pool-client list-user-pool-client-secrets describe-identity-provider describe-chap-credentials describe-vpn-connections get-vpn-connection-device-sample-configuration describe-verified-access-trust-providers list-web-authn-credentials get-wireless-gateway-certificate get-bucket-access-keys get-backend-auth describe-directory-configs get-document-content get-agent-runtime get-harness get-gateway-target get-patient-insights-job describe-location-fsx-ontap describe-location-fsx-open-zfs describe-directories describe-launch-template-versions get-launch-template-data describe-spot-fleet-requests describe-spot-instance-requests describe-instance-attribute describe-task-definition describe-daemon-task-definition describe-express-gateway-service get-game-session-log-url describe-pipeline-execution get-function get-function-configuration list-versions-by-function get-microvm-image-version list-microvm-image-versions get-web-function-revision describe-bot-recommendation get-address-list-import-job list-address-list-import-jobs describe-asset-bundle-import-job describe-asset-bundle-export-job get-case-attachment-download-url get-tax-registration list-tax-registrations describe-connector-operation describe-worker-configuration get-bot-channel-association get-bot-channel-associations get-managed-thing describe-pipe describe-subscriber get-registration-code batch-get-projects batch-get-builds describe-configuration-settings describe-job-definitions
# The last word names a file that is written.
@aws-file = get-object get-object-torrent get-object-annotation select-object-content get-job-output get-export get-sdk get-media get-clip get-media-for-fragment-list get-thing-shadow get-raw-message-content get-snapshot-block get-chunk get-package-version-asset get-map-glyphs get-map-sprites get-map-style-descriptor get-map-tile get-tile get-read-set get-reference get-configuration get-latest-configuration get-hosted-configuration-version get-code-binding-source get-image-frame get-image-set-metadata get-static-map get-style-descriptor get-glyphs get-sprites get-profile get-work-unit-results get-game-session-log get-lineage-event get-connection-function get-position-estimate get-resource-position get-introspection-schema describe-input-device-thumbnail get-sol-function-package-content get-sol-function-package-descriptor get-sol-network-package-content get-sol-network-package-descriptor
aws : || --profile=text --region=label --output=text --query=text --no-cli-pager --no-paginate --no-sign-request --page-size=text --max-items=text --starting-token=text --color=text --no-verify-ssl!unknown --debug!secrets --cli-read-timeout=text --cli-connect-timeout=text
  || --no-cli-auto-prompt --queue-url=text --endpoint-url=url!sends --ca-bundle=read --cli-input-json=value!unknown --cli-input-yaml=value!unknown --cli-auto-prompt!unknown --cli-binary-format=text --generate-cli-skeleton=text --outfile=write --out-file=write
  s3 :
    help : !runs-code
    ls : value* !connects at:configured | --recursive --human-readable --summarize --request-payer=text --bucket-name-prefix=text --bucket-region=text
    presign : value* !secrets | --expires-in=text
    cp sync mv rm mb rb website : text* !remote
  configure : !persists@0
    help : !runs-code
    list list-profiles : | --profile=text
    get export-credentials : text* !secrets
    # A profile's settings that are no secret.
    get/region get/output get/role_arn get/source_profile get/role_session_name get/duration_seconds get/sso_account_id get/sso_region get/sso_role_name get/sso_start_url get/sso_session get/cli_pager get/retry_mode get/max_attempts get/default.region get/default.output :
    set sso import add-model : text* !persists
  sts :
    help : !runs-code
    get-caller-identity get-access-key-info decode-authorization-message : value* tolerant !connects at:configured
    get-session-token get-federation-token get-web-identity-token get-delegated-access-token assume-role assume-role-with-saml assume-role-with-web-identity : value* tolerant !connects at:configured !secrets
  logs :
    help : !runs-code
    tail : value tolerant !connects at:configured | --since=text --follow --format=text --filter-pattern=text --log-stream-names=text --log-stream-name-prefix=text
    @aws-read : value* tolerant !connects at:configured
    start-query stop-query : value* tolerant !connects at:configured
  athena :
    help : !runs-code
    # A statement that only reads; its result lands where the workgroup says.
    start-query-execution : value* tolerant !connects at:configured !unknown@0 | --query-string=sql~ --work-group=value --query-execution-context=value --client-request-token=value --execution-parameters=value --result-reuse-configuration=value --result-configuration=value!remote
    get-session-endpoint : value* tolerant !connects at:configured !secrets
    @aws-read : value* tolerant !connects at:configured
  cloudformation :
    help : !runs-code
    @aws-read : value* tolerant !connects at:configured
    wait : value* tolerant !connects at:configured
  stepfunctions :
    help : !runs-code
    # The task that is handed out is nobody else's any more.
    get-activity-task : value* !remote
    @aws-read : value* tolerant !connects at:configured
  help : !runs-code
  # Services whose reading verbs answer with credentials, beside those that are known everywhere.
  amplify glue datazone chime mediapackage lambda location mwaa evs workspaces-thin-client apprunner iotsitewise kafkaconnect dms cloudfront devops-agent interconnect :
    help : !runs-code
    @aws-secret get-app get-branch list-apps list-branches get-connection get-connections list-connections get-bot list-bots describe-channel list-channels list-functions describe-key get-environment list-environments describe-service describe-pipeline describe-task describe-connector describe-endpoints get-distribution get-distribution-config list-distributions get-service list-services : value* tolerant !connects at:configured !secrets
    @aws-file : value* tolerant !writes !connects at:configured
    @aws-read wait : value* tolerant !connects at:configured
  # Alone, it may be an alias of the person's own, which runs what it likes.
  * : !unknown@0
    help : !runs-code
    @aws-secret : value* tolerant !connects at:configured !secrets
    @aws-file : value* tolerant !writes !connects at:configured
    @aws-read wait : value* tolerant !connects at:configured
@gcloud-describe-list-1 = access-context-manager/cloud-bindings access-context-manager/levels access-context-manager/perimeters access-context-manager/perimeters/dry-run access-context-manager/policies active-directory/operations ai-platform/jobs ai-platform/operations ai-platform/versions ai/batch-prediction-jobs ai/custom-jobs ai/endpoints ai/indexes ai/models ai/operations alloydb/backups alloydb/clusters alloydb/instances api-gateway/api-configs api-gateway/apis api-gateway/gateways apigee/apis apigee/applications apigee/deployments apigee/developers apigee/environments apigee/organizations apigee/products app/domain-mappings app/firewall-rules app/instances app/operations app/regions app/services app/ssl-certificates app/versions artifacts/docker/images artifacts/docker/tags artifacts/files artifacts/locations artifacts/packages artifacts/versions asset/feeds backup-dr/backup-plans backup-dr/backup-vaults batch/jobs bigtable/app-profiles bigtable/clusters bigtable/operations billing/budgets billing/projects bms/instances builds builds/connections builds/triggers builds/worker-pools certificate-manager/certificates certificate-manager/dns-authorizations certificate-manager/maps certificate-manager/maps/entries certificate-manager/trust-configs composer/environments composer/operations compute/accelerator-types compute/addresses compute/backend-buckets compute/commitments compute/disk-types compute/external-vpn-gateways compute/firewall-rules compute/forwarding-rules compute/health-checks compute/http-health-checks compute/https-health-checks compute/interconnects/attachments compute/interconnects/locations compute/machine-types compute/network-attachments compute/networks/vpc-access/connectors compute/networks/vpc-access/operations compute/operations compute/os-config/patch-deployments compute/os-login/ssh-keys compute/packet-mirrorings compute/project-info compute/regions compute/routers/nats compute/routes compute/security-policies compute/service-attachments compute/sole-tenancy/node-types compute/ssl-certificates compute/ssl-policies compute/target-grpc-proxies compute/target-http-proxies compute/target-https-proxies compute/target-instances compute/target-ssl-proxies compute/target-tcp-proxies compute/target-vpn-gateways compute/tpus compute/tpus/accelerator-types compute/tpus/locations compute/tpus/versions compute/url-maps compute/vpn-tunnels compute/zones
@gcloud-describe-list-2 = container/clusters container/fleet/memberships container/hub/memberships container/images/tags container/node-pools container/operations data-fusion/instances dataflow/snapshots dataproc/batches datastore/indexes datastore/operations datastream/streams debug/snapshots deploy/delivery-pipelines deploy/releases deploy/rollouts deploy/targets deployment-manager/deployments deployment-manager/manifests deployment-manager/operations deployment-manager/resources dns/dns-keys dns/managed-zones dns/operations dns/policies dns/record-sets dns/record-sets/changes dns/response-policies edge-cache/services edge-cloud/container/clusters endpoints/configs endpoints/operations eventarc/locations eventarc/providers eventarc/triggers filestore/instances filestore/locations filestore/operations firebase/test/android/locales firebase/test/android/models firebase/test/android/versions firebase/test/ios/locales firebase/test/ios/models firebase/test/ios/versions firebase/test/network-profiles firestore/backups firestore/databases firestore/indexes/composite firestore/indexes/fields firestore/operations functions/regions game/locations game/operations game/servers/clusters game/servers/configs game/servers/deployments game/servers/realms healthcare/operations iam/roles iam/service-accounts/keys iam/workload-identity-pools iam/workload-identity-pools/providers iap/oauth-brands infra-manager/deployments infra-manager/revisions iot/devices iot/devices/configs iot/devices/credentials iot/registries/credentials kms/ekm-connections kms/keys/versions kms/locations logging/buckets logging/locations logging/logs logging/metrics logging/operations logging/sinks logging/views memcache/instances metastore/services ml-engine/jobs ml-engine/operations ml-engine/versions monitoring/channels monitoring/dashboards monitoring/policies monitoring/snoozes netapp/volumes network-connectivity/hubs network-connectivity/spokes network-management/connectivity-tests network-management/operations network-security/address-groups network-security/authorization-policies network-security/client-tls-policies network-security/gateway-security-policies network-security/server-tls-policies network-services/gateways notebooks/environments org-policies pam/entitlements pam/grants privateca/certificates privateca/roots pubsub/lite-subscriptions pubsub/schemas pubsub/snapshots recommender/insights
@gcloud-describe-list-3 = recommender/recommendations redis/clusters redis/instances redis/operations redis/regions resource-manager/org-policies resource-manager/tags run/configurations run/domain-mappings run/jobs run/jobs/executions run/multi-region-services run/regions run/revisions run/routes scc/notifications scheduler/jobs scheduler/locations secrets/locations secrets/versions services spanner/instance-configs spanner/operations sql/backups sql/databases sql/flags sql/instances sql/operations sql/ssl-certs sql/ssl/client-certs sql/tiers sql/users storage/objects tasks tasks/locations transfer/agent-pools transfer/jobs transfer/operations vmware/locations vmware/private-clouds vpc-access/connectors workflows workstations workstations/clusters workstations/configs
@gcloud-describe-get-iam-policy-list-1 = active-directory/domains ai-platform/models artifacts/repositories bigtable/backups bigtable/instances bigtable/tables billing/accounts compute/disks compute/instance-templates compute/reservations compute/resource-policies compute/snapshots compute/sole-tenancy/node-templates container/binauthz/attestors data-catalog/entry-groups data-catalog/taxonomies data-catalog/taxonomies/policy-tags dataplex/lakes dataproc/autoscaling-policies dataproc/clusters dataproc/jobs dataproc/operations dataproc/workflow-templates endpoints/services functions healthcare/datasets healthcare/dicom-stores healthcare/fhir-stores healthcare/hl7v2-stores iam/service-accounts iap/tcp/dest-groups iap/web iot/registries kms/import-jobs kms/keyrings kms/keys ml-engine/models organizations privateca/pools pubsub/subscriptions resource-manager/tags/keys resource-manager/tags/values run/services scc/sources secrets source/repos spanner/backups spanner/databases spanner/instances storage/buckets storage/managed-folders tasks/queues
@gcloud-list-1 = access-context-manager/levels/conditions artifacts/tags artifacts/vulnerabilities components/repositories composer/environments/storage/dags composer/environments/storage/data composer/environments/storage/plugins compute/instance-groups/managed/instance-configs compute/networks/vpc-access/locations compute/shared-vpc/associated-projects container/binauthz/attestations data-catalog/tags debug/logpoints debug/targets deployment-manager/types error-reporting/events filestore/regions filestore/zones functions/event-types functions/runtimes iap/tcp/tunnels iot/devices/states logging/resource-descriptors redis/zones resource-manager/liens resource-manager/tags/bindings services/vpc-peerings spanner/databases/sessions sql/ssl/server-ca-certs storage/insights/inventory-reports trace/sinks
@gcloud-describe-1 = app artifacts/operations artifacts/settings asset/operations compute/security-policies/rules dns/project-info dns/record-sets/transaction logging/settings ml/speech/operations ml/video/operations scc/operations services/operations services/vpc-peerings/operations source/project-configs spanner/databases/ddl
@gcloud-reads-1 = asset/analyze-iam-policy asset/describe asset/get-history asset/list asset/search-all-iam-policies asset/search-all-resources bigtable/instances/tables/get-iam-policy bigtable/instances/tables/list compute/backend-services/describe compute/backend-services/get-health compute/backend-services/list compute/images/describe compute/images/describe-from-family compute/images/get-iam-policy compute/images/list compute/instance-groups/describe compute/instance-groups/get-named-ports compute/instance-groups/list compute/instance-groups/list-instances compute/instance-groups/managed/describe compute/instance-groups/managed/get-named-ports compute/instance-groups/managed/list compute/instance-groups/managed/list-errors compute/instance-groups/managed/list-instances compute/instance-groups/unmanaged/describe compute/instance-groups/unmanaged/get-named-ports compute/instance-groups/unmanaged/list compute/instance-groups/unmanaged/list-instances compute/instances/describe compute/instances/get-effective-firewalls compute/instances/get-iam-policy compute/instances/get-serial-port-output compute/instances/list compute/instances/os-inventory/describe compute/instances/os-inventory/list-instances compute/instances/tail-serial-port-output compute/interconnects/describe compute/interconnects/get-diagnostics compute/interconnects/list compute/network-endpoint-groups/describe compute/network-endpoint-groups/list compute/network-endpoint-groups/list-network-endpoints compute/networks/describe compute/networks/get-effective-firewalls compute/networks/list compute/networks/peerings/list compute/networks/peerings/list-routes compute/networks/subnets/describe compute/networks/subnets/get-iam-policy compute/networks/subnets/list compute/networks/subnets/list-usable compute/os-config/patch-jobs/describe compute/os-config/patch-jobs/list compute/os-config/patch-jobs/list-instance-details compute/os-login/describe-profile compute/routers/describe compute/routers/get-nat-ip-info compute/routers/get-nat-mapping-info compute/routers/get-status compute/routers/list compute/shared-vpc/get-host-project compute/shared-vpc/list-associated-resources compute/sole-tenancy/node-groups/describe compute/sole-tenancy/node-groups/get-iam-policy compute/sole-tenancy/node-groups/list compute/sole-tenancy/node-groups/list-nodes compute/target-pools/describe compute/target-pools/get-health
@gcloud-reads-2 = compute/target-pools/list compute/vpn-gateways/describe compute/vpn-gateways/get-status compute/vpn-gateways/list container/binauthz/policy/get-iam-policy container/get-server-config container/images/describe container/images/list container/images/list-tags container/subnets/list-usable data-catalog/entries/describe data-catalog/entries/list data-catalog/entries/lookup data-catalog/search data-catalog/tag-templates/describe data-catalog/tag-templates/get-iam-policy dataflow/jobs/describe dataflow/jobs/list dataflow/jobs/show domains/registrations/describe domains/registrations/get-register-parameters domains/registrations/list domains/registrations/search-domains essential-contacts/compute essential-contacts/describe essential-contacts/list iam/list-grantable-roles iam/list-testable-permissions iap/settings/get identity/groups/describe identity/groups/list identity/groups/memberships/describe identity/groups/memberships/list identity/groups/memberships/search-transitive-groups identity/groups/memberships/search-transitive-memberships identity/groups/search kms/inventory/list-keys monitoring/uptime/describe monitoring/uptime/list-configs monitoring/uptime/list-ips notebooks/instances/describe notebooks/instances/get-health notebooks/instances/list policy-intelligence/query-activity policy-troubleshoot/iam projects/describe projects/get-ancestors projects/get-ancestors-iam-policy projects/get-iam-policy projects/list pubsub/lite-topics/describe pubsub/lite-topics/list pubsub/lite-topics/list-subscriptions pubsub/topics/describe pubsub/topics/get-iam-policy pubsub/topics/list pubsub/topics/list-subscriptions resource-manager/folders/describe resource-manager/folders/get-ancestors-iam-policy resource-manager/folders/get-iam-policy resource-manager/folders/list scc/assets/describe scc/assets/list scc/assets/list-marks scc/findings/list scc/findings/list-marks storage/du storage/ls workflows/executions/describe workflows/executions/list workflows/executions/list-instances
@gcloud-reads-3 = app/firewall-rules/test-ip compute/instances/get-guest-attributes compute/instances/get-shielded-identity compute/instances/network-interfaces/get-effective-firewalls compute/security-policies/list-preconfigured-expression-sets compute/ssl-policies/list-available-features compute/url-maps/list-cdn-cache-invalidations domains/list-user-verified endpoints/services/check-iam-policy game/servers/deployments/describe-rollout kms/keys/versions/get-public-key scc/assets/get-parent scc/assets/get-project ai-platform/jobs/stream-logs ai/custom-jobs/stream-logs ai/hp-tuning-jobs/describe ai/hp-tuning-jobs/list ai/hp-tuning-jobs/stream-logs ai/model-garden/models/list ai/model-monitoring-jobs/describe ai/model-monitoring-jobs/list ai/tensorboards/describe ai/tensorboards/list ai/index-endpoints/describe ai/index-endpoints/list ml-engine/jobs/stream-logs compute/future-reservations/describe compute/future-reservations/list compute/public-advertised-prefixes/describe compute/public-advertised-prefixes/list compute/public-delegated-prefixes/describe compute/public-delegated-prefixes/list compute/network-firewall-policies/describe compute/network-firewall-policies/list compute/network-firewall-policies/get-effective-firewalls compute/network-firewall-policies/rules/describe compute/firewall-policies/describe compute/firewall-policies/list compute/firewall-policies/list-rules compute/firewall-policies/rules/describe compute/network-edge-security-services/describe compute/network-edge-security-services/list compute/machine-images/describe compute/machine-images/list compute/machine-images/get-iam-policy compute/instant-snapshots/describe compute/instant-snapshots/list compute/storage-pools/describe compute/storage-pools/list compute/storage-pools/list-disks compute/storage-pool-types/describe compute/storage-pool-types/list container/ai/profiles/list
gcloud : || --project=text --format=text --filter=text --limit=text --sort-by=text --page-size=text --uri --quiet -q --verbosity=text --account=text --configuration=text --zone=label --region=label --location=label --billing-project=text --[no-]user-output-enabled --log-http --flatten=text --trace-token=text -h~ --help~
  || --flags-file=code-file --credential-file-override=code-file --authorization-token-file=secret --capture-session-file=write --impersonate-service-account=text!privilege --access-token-file=secret --output-file=write --output-path=write --destination=write --log-file=write --open-in-browser!runs-code --launch-browser!runs-code --api-endpoint-overrides=text!sends
  .. alpha beta :
    @gcloud-describe-list-1 @gcloud-describe-list-2 @gcloud-describe-list-3 :
      describe list : value* tolerant !connects at:configured
    @gcloud-describe-get-iam-policy-list-1 :
      describe get-iam-policy list : value* tolerant !connects at:configured
    @gcloud-list-1 :
      list : value* tolerant !connects at:configured
    @gcloud-describe-1 :
      describe : value* tolerant !connects at:configured
    @gcloud-reads-1 @gcloud-reads-2 @gcloud-reads-3 : value* tolerant !connects at:configured
  info : at:configured | --show-log --run-diagnostics!connects --anonymize
  version :
  # Shown a page at a time on a terminal alone.
  help topic cheat-sheet : text*
  config : | --installation
    list get-value get : text* | --all
    configurations :
      list describe : text | --all
      create activate delete rename : text* !persists
    set unset : text* !persists
  components :
    list : at:configured !connects | --only-local-state --show-versions --show-hidden
  auth :
    list : | --filter-account=text
    print-access-token print-identity-token print-refresh-token application-default/print-access-token : text* !secrets
    login activate-service-account revoke configure-docker application-default/login application-default/set-quota-project : text* !persists
  logging/read app/logs/read functions/logs/read run/services/logs/read run/jobs/logs/read builds/log app/logs/tail : value* tolerant !connects at:configured | --freshness=text --order=text --resource-names=text
# The boto configuration names the server; so would -o.
gsutil : | -[mq] -D!secrets -DD!secrets -u=text -i=text!privilege -h=header -o=text!unknown
  version : | -l
  help : text*
  ls : value* !connects at:configured | -[lLRrbahde] -p=text
  du : value* !connects at:configured | -[0achs] -e=text -X=read
  stat : value* !connects at:configured
  hash : plain-file* | -[hcm]
  cat : value* !connects at:configured | -h -r=text
  acl/get defacl/get iam/get cors/get label/get lifecycle/get logging/get versioning/get website/get web/get defstorageclass/get kms/encryption retention/get requesterpays/get ubla/get bucketpolicyonly/get pap/get autoclass/get notification/list rpo/get hmac/list hmac/get : value* !connects at:configured | -[arbl] -u=text -p=text
  signurl config hmac/create : text* !secrets
  cp mv rsync rm rb mb compose rewrite setmeta test perfdiag update : text* !remote
bq : || --project_id=text --location=text --format=text --quiet -q --headless --dataset_id=text --job_id=text --bigqueryrc=code-file --flagfile=code-file --api=url!sends --apilog=write --credential_file=secret --service_account_private_key_file=secret
  version help : text*
  ls : value* !connects at:configured | -[jdamtps] -n=text --jobs --datasets --projects --all --max_results=text --filter=text --transfer_config --transfer_location=text --reservation --capacity_commitment --connection --models --routines
  show : value* !connects at:configured | -[jdvm] --schema --job --dataset --view --model --routine --connection --reservation --transfer_config --transfer_run --materialized_view
  head : value* !connects at:configured | -n=text --max_rows=text -j --job --selected_fields=text --start_row=text
  get-iam-policy : value* !connects at:configured | -[dt] --dataset --table --view --connection
  query : sql !connects at:configured with:database | --use_legacy_sql=(false|true) --nouse_legacy_sql --use_cache --nouse_cache --dry_run --max_rows=text -n=text --batch --maximum_bytes_billed=text --label=text --parameter=text
  load extract cp mk rm update insert cancel partition truncate set-iam-policy add-iam-policy-binding wait init shell : text* !remote
@auth0-groups = apps apis apis/scopes actions roles roles/permissions users users/roles users/blocks organizations organizations/members organizations/roles organizations/roles/members organizations/invitations orgs orgs/members orgs/roles orgs/invitations logs logs/streams rules email email/templates email/provider domains connections tenants log-streams streams network-acl event-streams token-exchange terraform quickstarts qs custom-domains protection protection/breached-password-detection protection/bpd protection/brute-force-protection protection/bfp protection/suspicious-ip-throttling protection/sit protection/bot-detection protection/suspicious-ip-throttling/ips protection/sit/ips attack-protection ap attack-protection/breached-password-detection attack-protection/bpd attack-protection/brute-force-protection attack-protection/bfp attack-protection/suspicious-ip-throttling attack-protection/sit attack-protection/bot-detection universal-login ul universal-login/templates ul/templates universal-login/prompts ul/prompts roles/perms apps/session-transfer flows/vault tenant-settings ips domains/default phone/provider ap/breached-password-detection ap/bpd ap/bdp ap/brute-force-protection ap/bfp ap/suspicious-ip-throttling ap/sit ap/bot-detection actions/modules actions/triggers
# The server is the tenant of the person's login.
auth0 : || -t,--tenant=text --json --json-compact --csv --no-color --no-input --debug -n,--number=text -q,--query=text -h~ --help~
  @auth0-groups : !unknown@0
    list ls show search search-by-email diff : text* !connects at:configured | --reveal-secrets!secrets -r,--reveal!secrets -f,--filter=text -p,--picker=text -s=text --sort=text --include-totals --type=text
    create update delete rm add remove set import deploy rollback enable disable open edit customize use test cat export generate clone rotate-secret : text* !remote@0
  logs/tail : !connects at:configured | -f,--filter=text
  ips/check event-streams/stats : text* !connects at:configured | --from=text --to=text
  # A path of the Management API is asked by GET; another method in front, or data, changes. Clients and connections are answered with their secrets.
  api : endpoint !secrets !connects at:configured | -d,--data=text!sends --data-file=read!sends -q,--query=text --force
    stats* users* roles* logs* organizations* actions* rules* tenants* branding* prompts* jobs* grants* attack-protection* resource-servers* : !connects at:configured | -d,--data=text!sends --data-file=read!sends -q,--query=text --force
    get : endpoint !secrets !connects at:configured | -q,--query=text
      stats* users* roles* logs* organizations* actions* rules* tenants* branding* prompts* jobs* grants* attack-protection* resource-servers* : !connects at:configured | -q,--query=text
    post put patch delete : text* !remote | -d,--data=text!sends -q,--query=text --force
  login logout : text* !persists | --domain=text --client-id=text --client-secret=secret
  completion : text
  test : text* !remote
# Everything that opens a backend or a provider starts what the working directory names: a backend may run a credential helper, a provider is a program.
@terraform-fmt = -check~ -diff -recursive>read-tree -list=(true|false)? -write=(false)+~ -no-color
terraform : | -chdir=directory!unknown -version || -help~ --help~ -h~
  version : | -json
  fmt : read* !writes@0 with:rewriting | @terraform-fmt
  metadata/functions : | -json
  modules : | -json
  workspace : !runs-code@0
    show :
    list : text* !runs-code/terraform
    select new delete : text* !remote@0 !runs-code@0
  state : text* !runs-code@0
    list : text* !runs-code/terraform | -state=read -id=text
  providers : !runs-code/terraform | -test-directory=text
    lock mirror schema : text* !runs-code@0
  # By its name, or for a program, a value is shown that is sensitive.
  output : text !runs-code/terraform !secrets@1 | -no-color -state=read -json!secrets -raw!secrets
  validate plan show graph console init get test refresh query stacks : text* !runs-code@0
  apply destroy import taint untaint force-unlock login logout rpcapi : text* !remote@0 !runs-code@0
# The same, but that a project's encryption of its state may name a program: whatever opens the state starts it.
tofu : | -chdir=directory!unknown -version || -help~ --help~ -h~
  version : | -json
  fmt : read* !writes@0 with:rewriting | @terraform-fmt
  metadata/functions : | -json
  workspace : !runs-code@0
    show :
    list : text* !runs-code@0
    select new delete : text* !remote@0 !runs-code@0
  state providers output validate plan show graph console init get test refresh : text* !runs-code@0
  apply destroy import taint untaint force-unlock login logout : text* !remote@0 !runs-code@0
pulumi : || -C,--cwd=directory!unknown --color=text --non-interactive --logtostderr -v,--verbose=text -s,--stack=text -e,--emoji --disable-integrity-checking --profiling=write --tracing=url!sends --memprofilerate=text -h~ --help~
  version : 
  whoami : !writes/pulumi !connects at:configured | -v,--verbose -j,--json
  stack : !unknown@0
    ls : !writes/pulumi !connects at:configured | -a,--all -j,--json -o,--organization=text -p,--project=text -t,--tag=text
    history : !writes/pulumi !connects at:configured | -j,--json --page=text --page-size=text --full-dates --show-secrets!secrets
    tag/ls tag/get : text* !writes/pulumi !connects at:configured | -j,--json
  # For a project it starts what that language's own list of packages needs: the interpreter that Pulumi.yaml names.
  plugin/ls : | -j,--json -p,--project!runs-code
  org/get-default : !writes/pulumi !connects at:configured
  about up update preview pre destroy refresh import new watch install package convert config logs cancel query console env schema policy state deployment login logout : text* !remote@0 !runs-code@0
# A plugin that cdk.json names is loaded before any command is read.
cdk : text* !runs-code@0
  version doctor : !runs-code/cdk !connects at:configured
  context : !runs-code/cdk !connects at:configured | -j,--json
  notices : !runs-code/cdk !connects at:configured | -u,--unacknowledged
cdktf : text* !runs-code@0
# It asks plugins that stand in the working directory what they are.
packer : text* !runs-code@1 !runs-code/packer | -[vh] --version -version -help --help
  version : !runs-code/packer
  fmt : read !writes@0 !runs-code/packer with:rewriting | -check~ -diff -recursive>read-tree -write=(false)+~
# The log that ansible.cfg names is opened for every word, the version too.
ansible ansible-playbook ansible-inventory ansible-pull ansible-console ansible-test ansible-lint : text* !remote@0 !runs-code@0 !writes/ansible | --version~ -h~ --help~
ansible-vault : text* !secrets@0 !writes/ansible | -h~ --help~ --version~
# What ansible.cfg sets is shown; plugins' documentation is parsed, not run, except that of filters and tests.
ansible-config : !unknown@0 !writes/ansible | --version~ || -v,--verbose -h~ --help~
  list dump view validate init : !runs-code/ansible | -c,--config=read -t,--type=(base) --only-changed --changed-only -f,--format=text --disabled
  edit : !runs-code@0
ansible-doc : text* !runs-code/ansible | -h~ --help~ --version~ -v,--verbose -l,--list -F,--list_files -s,--snippet -j,--json -r,--roles-path=read -M,--module-path=code --playbook-dir=code -e,--entry-point=text --metadata-dump!unknown --no-fail-on-errors
  | -t,--type=(module|connection|callback|lookup|shell|strategy|vars|inventory|cache|become|cliconf|httpapi|netconf|role|keyword)
ansible-galaxy : !writes/ansible | --version~ || -v,--verbose -h~ --help~ -s,--server=url --token=secret --api-key=secret -c,--ignore-certs --timeout=text
  list search info : text* !runs-code@0/ansible !connects at:configured | --offline --platforms=text --galaxy-tags=text --author=text
  role collection : !unknown@0
    list : text* !runs-code@0/ansible | -p,--roles-path=read --collections-path=read --format=text
    search : text* !runs-code@0/ansible !connects at:configured | --platforms=text --galaxy-tags=text --author=text
    info : text* !runs-code@0/ansible !connects at:configured | --offline -p,--roles-path=read
    verify : package* !runs-code@0/ansible !connects at:configured | -p,--collections-path=read --offline
    init install download build publish remove delete import setup : text* !runs-code@0 !publishes@0
# A formula is Ruby: by name it is one of the taps that the person chose, by a path or an unknown tap it is somebody else's.
# What lists stands first: behind a verb it is one of the verb's own words.
brew : package* !runs-code@0 !system@0 first || -q --quiet -v --verbose -d --debug | --version~ --prefix~ --cellar~ --repository~ --repo~ --caskroom~ --cache~ --env~ --config~ --taps~ --installed --formula --cask --HEAD --force-bottle --build-from-source --bottle-tag=text --os=text --arch=text --unbrewed
  list ls leaves deps uses missing options shellenv desc info abv formulae casks linkage which-formula : package* | --versions --formula --formulae --cask --casks --installed --json=text? --full-name --multiple --pinned -1 -l -p -r -t --tree --graph --include-build --include-optional --include-test --include-implicit --include-requirements --skip-recommended
    | --installed-on-request --installed-as-dependency --direct --declared --union --topological --all --variations --sizes --annotate --1 --dot --for-each --desc --name -s --search -n --missing --full --unbrewed --os=text --arch=text --HEAD --poured-from-bottle --built-from-source --eval-all
    | --no-named --hide=text --test --reverse --strict --cached --analytics!connects --github!unknown --days=text --category=text --fetch-manifest!connects --prune-prefix-length=text
  search : text* !connects at:configured | --formula --formulae --cask --casks --desc --pull-request --open --closed --eval-all --repology,--macports,--fink,--opensuse,--fedora,--archlinux,--debian,--ubuntu,--alpine!unknown
  # Into its cache, from where an installation takes it after a look at its digest.
  fetch : package* !connects at:configured | --HEAD --os=text --arch=text --bottle-tag=text --retry --deps -s --build-from-source --build-bottle --force-bottle -f --force --formula --formulae --cask --casks --concurrency=text --no-quarantine
  # What is known of formulae is brought up to date first: a cache.
  outdated : package* !connects at:configured | --formula --formulae --cask --casks --json=text? -g,--greedy --greedy-latest --greedy-auto-updates --fetch-HEAD!connects --minimum-version=text
  doctor : text* | -D,--audit-debug --list-checks
  config commands : | --include-aliases
  help command formula : text* | --include-aliases
  tap-info : text* | --installed --json=text?
  cat : package* | --formula --cask
  log : package* | -p,--patch,-u --stat --oneline -1 -n=text --max-count=text --formula --cask
  home homepage : text* !runs-code@0 | --formula --cask -h~ --help~
  analytics : !persists@0
    state :
    on off regenerate-uuid : !persists
  services : !system@0 | -h~ --help~
    list ls : | --json --all
    info run start stop restart kill cleanup : text* !system@0 !persists@0
  # A Brewfile is Ruby.
  bundle : !runs-code@0 !system@0 | -h~ --help~
    list check dump cleanup install upgrade add remove exec sh env edit : text* !runs-code !system
  tap : text* !runs-code@1 !system@1 | -h~ --help~ --full!unknown --shallow!unknown --force!unknown --repair!unknown --custom-remote!unknown --eval-all!unknown
  install upgrade update reinstall : text* !system@0 !runs-code@0 fetches:elsewhere | -h~ --help~
  uninstall remove rm untap link ln unlink pin unpin cleanup edit create extract bump pr-pull autoremove migrate postinstall developer vendor-install audit style livecheck : text* !system@0 !runs-code@0 | -h~ --help~
  sh ruby irb test tests : text* !system !runs-code
@doctl-groups = apps apps/spec apps/tier apps/tier/instance-size billing-history compute/action compute/cdn compute/certificate compute/domain compute/domain/records compute/droplet compute/droplet-action compute/firewall compute/floating-ip compute/image compute/load-balancer compute/region compute/reserved-ip compute/size compute/snapshot compute/ssh-key compute/tag compute/volume databases/db databases/firewalls databases/maintenance-window databases/options databases/topics invoice kubernetes/cluster kubernetes/cluster/node-pool kubernetes/options monitoring/alert monitoring/uptime projects projects/resources registry registry/repository registry/garbage-collection serverless/activations serverless/functions vpcs
doctl : || --format=text --no-header -o,--output=text --context=text -v,--verbose --trace!secrets --interactive -c,--config=code-file -t,--access-token=secret -u,--api-url=url!sends -h~ --help~ --region=text --tag-name=text --page=text
  version :
  auth/list :
  apps/instances/list compute/vpc-peering/list compute/vpc-peering/get compute/droplet-autoscale/list compute/droplet-autoscale/get kubernetes/1-click/list compute/droplet/1-click/list 1-click/list kubernetes/cluster/list-associated-resources databases/backups invoice/summary registries/list registries/get : text* !connects at:configured
  @doctl-groups :
    list ls get l g list-tags list-v2 list-distribution list-application list-user list-public list-by-droplet actions kernels neighbors backups snapshots list-deployments list-alerts list-regions logs regions slugs versions layouts engines sizes get-active : text* !connects at:configured | --public
  account/get balance/get account/ratelimit : !connects at:configured
  # A database is shown with the URI that opens it.
  auth/init auth/switch auth/remove kubernetes/cluster/kubeconfig registry/login databases/connection databases/user databases/list databases/get databases/pool databases/replica serverless/namespaces : text* !secrets
@hcloud-groups = certificate datacenter firewall floating-ip image iso load-balancer load-balancer-type location network placement-group primary-ip server server-type ssh-key volume zone storage-box storage-box-type zone/rrset storage-box/snapshot
hcloud : || -o,--output=text --quiet --poll-interval=text --debug --debug-file=write --config=code-file --endpoint=url!sends --context=text -l,--selector=text -s,--sort=text -h~ --help~ -t,--type=text -a,--architecture=text
  version : | --long
  @hcloud-groups :
    list describe : text* !connects at:configured
  server/ip server/metrics load-balancer/metrics storage-box/folders zone/export-zonefile pricing/describe pricing/list : text* !connects at:configured | -6,--ipv6 --start=text --end=text --path=text
  context/list context/active :
  all/list : !connects at:configured
heroku : || -a,--app=text -r,--remote=text -t,--team=text --json -j -p,--pipeline=text -s,--space=text -x,--extended -h~ --help~
  version commands plugins :
  stack apps:stacks pg:maintenance pg:links pg:bloat pg:blocking pg:cache-hit pg:calls pg:index-size pg:index-usage pg:long-running-queries pg:outliers pg:records-rank pg:seq-scans pg:table-indexes-size pg:table-size pg:total-index-size pg:total-table-size pg:unused-indexes pg:user-connections pg:vacuum-stats : !connects at:configured
  # Without a word behind them: a blank may stand for the colon (apps create).
  apps info ps releases addons domains buildpacks builds access certs features keys labs logs maintenance members notifications orgs pipelines regions reviewapps sessions spaces status teams pg:backups auth:whoami whoami : !connects at:configured | -n,--num=text --tail -d,--dyno=text --source=text -c=text -A,--all
  apps:info ps:type releases:info releases:output addons:info addons:services addons:plans domains:info buildpacks:search builds:info builds:output certs:info features:info labs:info pipelines:info spaces:info webhooks:info pg:info pg:diagnose pg:locks pg:ps pg:backups:info redis:info : text* !connects at:configured | -n,--num=text --tail -d,--dyno=text --source=text -c=text -A,--all
  config config:get drains webhooks auth:token authorizations authorizations:info pg:credentials pg:credentials:url redis:credentials : text* !secrets
fly flyctl : || -a,--app=text -c,--config=read -j,--json --verbose --debug -o,--org=text -t,--access-token=secret -h~ --help~ -q,--quiet
  version : 
  status logs releases apps/list apps/ls apps/releases machine/list machine/status machines/list machines/status m/list volumes/list volumes/show vol/list ips/list certs/list certs/show certs/check secrets/list scale/show regions/list platform/regions platform/vm-sizes platform/status orgs/list orgs/show checks/list image/show services/list postgres/list pg/list redis/list mpg/list storage/list wireguard/list wireguard/status volumes/snapshots/list auth/whoami history config/show : text* !connects at:configured | --all -n,--no-tail -i,--instance=text -r,--region=text --image -q
  # The status of a Redis names its address with the password.
  auth/token tokens config/env ssh redis/proxy redis/status : text* !secrets
# Before it reads a word it installs what package.json names, and runs vercel.ts, where that stands in the working directory.
vercel vc : text* !runs-code | -v --version || -S,--scope=text -T,--team=text -t,--token=secret -d,--debug --no-color -A,--local-config=code-file -Q,--global-config=code-file --cwd=directory!unknown -h~ --help~ -N,--next=text --json
  env/pull env/run tokens : text* !secrets !runs-code
# Whatever is asked, the registry of .npmrc is looked at for a newer version.
netlify ntl : | -v!connects --version!connects || --json --auth=secret --filter=text --debug --http-proxy=url!sends -h~!connects --help~!connects
  # A configuration file in the working directory may load plugins.
  status sites:list api deploy build dev link env:list env:get functions:list logs open : text* !runs-code@0
`;
