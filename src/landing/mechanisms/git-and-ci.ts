import type { Mechanism } from "./notation.ts";

/** githooks(5). */
const GIT_HOOKS = `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
  post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc
  post-rewrite sendemail-validate fsmonitor-watchman post-index-change`.split(/\s+/);

/** Whether the last name of a path is that of one of git's hooks. */
export function isGitHook(path: string): boolean {
  return GIT_HOOKS.includes(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}

export const GIT_AND_CI: readonly Mechanism[] = [
  {
    kind: "git-hook",
    because: "git runs it on commit, merge or push, once hooks are installed.",
    rows: `
      git | githooks(5) | .githooks/** .git-hooks/** ${GIT_HOOKS.map((name) => `*hooks/${name}`).join(" ")}
      husky | https://typicode.github.io/husky/ | .husky/** .huskyrc*
      lefthook | https://lefthook.dev/configuration/ | lefthook*.y*ml .lefthook*.y*ml lefthook*.toml .lefthook*.toml lefthook*.json .lefthook*.json
        .lefthook/** .lefthook-local/** .config/lefthook* lefthook/pre-*/** lefthook/post-*/** lefthook/commit-msg/** lefthook/prepare-commit-msg/**
      pre-commit | https://pre-commit.com/#adding-pre-commit-plugins-to-your-project | .pre-commit-config.y*ml .pre-commit-hooks.y*ml
      prek | https://prek.j178.dev/configuration/ | prek.toml
      overcommit | https://github.com/sds/overcommit#configuration | .overcommit.y*ml
      simple-git-hooks | https://github.com/toplenboren/simple-git-hooks#readme | .simple-git-hooks.* simple-git-hooks.*
      lint-staged | https://github.com/lint-staged/lint-staged#configuration | .lintstagedrc* lint-staged.config.*
      commitlint | https://commitlint.js.org/reference/configuration.html | .commitlintrc* commitlint.config.*
      cargo-husky | https://github.com/rhysd/cargo-husky#readme | .cargo-husky/**
      CaptainHook | https://docs.captainhook.info/configure.html | captainhook.json
      GrumPHP | https://github.com/phpro/grumphp#configuration | grumphp.y*ml
      git-hooks.nix | https://github.com/cachix/git-hooks.nix#readme | pre-commit.nix
      yorkie, ghooks | https://github.com/yyx990803/yorkie#readme | .yorkie/**
    `,
  },
  {
    kind: "ci-workflow",
    because: "A CI or hosting system runs it after a push, often with secrets of its own.",
    rows: `
      GitHub Actions | https://docs.github.com/en/actions/reference/workflow-syntax-for-github-actions | .github/workflows/** .github/actions/** action.y*ml .github/scripts/**
      Dependabot, Mergify | https://docs.github.com/en/code-security/dependabot | .github/dependabot.y*ml .mergify.yml .mergify/**
      GitLab | https://docs.gitlab.com/ci/yaml/ | .gitlab-ci*.y*ml .gitlab/ci/** .gitlab/** *.gitlab-ci.y*ml
      CircleCI | https://circleci.com/docs/configuration-reference/ | .circleci/**
      Buildkite | https://buildkite.com/docs/pipelines | .buildkite/** buildkite.y*ml
      Travis | https://docs.travis-ci.com/ | .travis.yml
      Drone, Woodpecker | https://woodpecker-ci.org/docs/usage/workflow-syntax | .drone.y*ml .drone.jsonnet .drone.star .woodpecker.y*ml .woodpecker/**
      Forgejo, Gitea | https://forgejo.org/docs/latest/user/actions/ | .forgejo/** .gitea/**
      Cirrus | https://cirrus-ci.org/guide/writing-tasks/ | .cirrus.yml .cirrus.star
      Azure Pipelines | https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/ | azure-pipelines*.y*ml .azure-pipelines/** .azuredevops/** .vsts-ci.y*ml
      Bitbucket | https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/ | bitbucket-pipelines.y*ml
      AWS | https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html | buildspec*.y*ml appspec.y*ml amplify.y*ml .ebextensions/** .platform/** samconfig.toml .elasticbeanstalk/**
      Google Cloud | https://cloud.google.com/build/docs/build-config-file-schema | cloudbuild*.y*ml cloudbuild*.json app.yaml .gcloudignore
      AppVeyor | https://www.appveyor.com/docs/appveyor-yml/ | appveyor.y*ml .appveyor.y*ml
      Codemagic, Bitrise | https://docs.codemagic.io/yaml-basic/yaml-getting-started/ | codemagic.yaml bitrise.yml .bitrise.y*ml ci_scripts/**
      Semaphore, TeamCity | https://www.jetbrains.com/help/teamcity/kotlin-dsl.html | .semaphore/** .teamcity/** .space.kts
      Tekton, Dagger, Argo | https://docs.dagger.io/ | .tekton/** .dagger/** dagger.json .argo/**
      Jenkins | https://www.jenkins.io/doc/book/pipeline/jenkinsfile/ | jenkinsfile* *.jenkinsfile .jenkins/** .jenkins-x/**
      Wercker, Scrutinizer, sourcehut | https://man.sr.ht/builds.sr.ht/manifest.md | wercker.yml .scrutinizer.yml .builds/** .build.yml .sr.ht/**
      Renovate | https://docs.renovatebot.com/configuration-options/ | renovate.json* .renovaterc*
      Danger | https://danger.systems/reference.html | dangerfile*
      Netlify, Vercel | https://docs.netlify.com/configure-builds/file-based-configuration/ | netlify.toml vercel.json now.json vercel.ts _redirects _headers
      Fly, Render, Heroku, Railway | https://render.com/docs/blueprint-spec | fly.toml render.y*ml heroku.yml railway.json railway.toml nixpacks.toml project.toml app.json .platform.app.yaml .upsun/**
      Cloudflare, Firebase, Deno Deploy | https://developers.cloudflare.com/workers/wrangler/configuration/ | wrangler.json* wrangler.toml firebase.json .firebaserc
      Zuul, Taskcluster, Prow | https://zuul-ci.org/docs/zuul/latest/ | .taskcluster.yml .zuul.* zuul.d/** .prow.y*ml .prow/**
      Read the Docs, Replit | https://docs.readthedocs.com/platform/stable/config-file/v2.html | .readthedocs.y*ml .replit replit.nix
      GoReleaser, semantic-release, release-it | https://goreleaser.com/customization/ | .goreleaser.y*ml goreleaser.y*ml .releaserc* .release-it.* release.config.* .changeset/** release-please-config.json .release-please-manifest.json .versionrc* .bumpversion.* .bumpversion.cfg
      Earthly, CDS, Screwdriver | https://docs.screwdriver.cd/ | screwdriver.y*ml .cds/** .earthly/**
      Packit, Copr, OBS | https://packit.dev/docs/configuration | .packit.y*ml packit.y*ml .copr/** .obs/**
      code scanning, coverage | https://docs.codecov.com/docs/codecov-yaml | .codecov.y*ml codecov.y*ml .codeclimate.y*ml sonar-project.properties .snyk .semgrep* .gitleaks* .trivyignore* trivy.y*ml .checkov.y*ml .bearer/**
      Kubernetes, Helm, Argo CD | https://kubernetes.io/docs/concepts/workloads/ | kustomization.y*ml chart.y*ml helmfile*.y*ml .argocd*
      serverless, Pulumi, CDK | https://www.pulumi.com/docs/iac/concepts/projects/project-file/ | serverless*.y*ml serverless*.json serverless.ts pulumi*.y*ml cdk.json sst.config.*
    `,
  },
  {
    kind: "submodule",
    because: "It names repositories that git clones and checks out.",
    rows: `
      git | gitmodules(5) | .gitmodules
      repo | https://gerrit.googlesource.com/git-repo/+/HEAD/docs/manifest-format.md | .repo/** default.xml
      west | https://docs.zephyrproject.org/latest/develop/west/manifest.html | west.yml
      gclient | https://www.chromium.org/developers/how-tos/depottools/ | .gclient DEPS
      vcstool | https://github.com/dirk-thomas/vcstool#readme | *.repos .rosinstall
      jj | https://jj-vcs.github.io/jj/latest/config/ | .jj/**
    `,
  },
  {
    kind: "git-configuration",
    because: "It configures git, Mercurial or Subversion: aliases, filters, hooks and pagers are programs.",
    rows: `
      git | git-config(1) | .gitconfig .config/git/**
      git-lfs | git-lfs-config(5) | .lfsconfig
      git-review, Gerrit | https://docs.opendev.org/opendev/git-review/latest/ | .gitreview
      Mercurial | https://www.mercurial-scm.org/doc/hgrc.5.html | .hg/** .hgrc .hgsub
      Subversion | https://svnbook.red-bean.com/ | .svn/**
      git blame | git-blame(1) | .git-blame-ignore-revs
      mailmap | gitmailmap(5) | .mailmap
    `,
  },
  {
    kind: "code-owners",
    because: "It says whose review a change needs.",
    rows: `
      GitHub, GitLab, Bitbucket | https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners | codeowners
      Gerrit, Chromium | https://chromium.googlesource.com/chromium/src/+/HEAD/docs/code_reviews.md | OWNERS OWNERS_ALIASES
      PullApprove | https://docs.pullapprove.com/config/ | .pullapprove.y*ml
      Kodiak, Bulldozer, policy-bot | https://github.com/palantir/policy-bot#configuration | .kodiak.toml .bulldozer.y*ml .policy.y*ml
      Probot settings | https://github.com/repository-settings/app#readme | .github/settings.y*ml .asf.yaml
    `,
  },
];
