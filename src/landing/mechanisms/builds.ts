import type { Mechanism } from "./notation.ts";

/** What builds, tests, linters and containers read by its name. */
export const BUILDS: readonly Mechanism[] = [
  {
    kind: "development-container",
    because: "It makes a container or machine, and says what of the host it may use.",
    rows: `
      Dev Containers | https://containers.dev/implementors/json_reference/ | .devcontainer/** .devcontainer.json
      Docker, Podman, Compose | https://docs.docker.com/reference/dockerfile/ | dockerfile* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml podman-compose*.y*ml docker-bake.* docker-entrypoint* *.container *.quadlet
      Vagrant, Packer, Lima, cloud-init | https://developer.hashicorp.com/vagrant/docs/vagrantfile | vagrantfile *.pkr.hcl packer.json lima.y*ml cloud-init* user-data
      Gitpod, Devfile, Codespaces, Coder | https://devfile.io/docs/ | .gitpod.y*ml .gitpod.dockerfile .ona/** .devfile.y*ml devfile.y*ml coder.y*ml
      Procfile | https://devcenter.heroku.com/articles/procfile | procfile* process-compose*.y*ml overmind* .overmind.env .foreman
      Tilt, Skaffold, Garden | https://docs.tilt.dev/api.html | tiltfile *.tiltfile skaffold.y*ml garden.y*ml *.garden.y*ml devspace.y*ml okteto.y*ml
      Buildpacks, Singularity, Nixpacks | https://buildpacks.io/docs/reference/config/ | singularity* *.def apptainer* buildpack.toml
      systemd, desktop | systemd.unit(5) | *.service *.timer *.socket *.desktop *.mount *.path *.plist *.udev *.rules
    `,
  },
  {
    kind: "build-file",
    because: "A build, test or lint command runs what it says.",
    rows: `
      make and its kin | https://www.gnu.org/software/make/manual/ | makefile* gnumakefile bsdmakefile *.mk *.mak *.make kbuild* kconfig* jamroot jamfile* tup* *.ninja
      CMake, Meson, autotools, xmake, premake | https://cmake.org/cmake/help/latest/ | cmakelists.txt *.cmake *.cmake.in cmake*presets.json meson.build meson.options meson_options.txt configure configure.* autogen* bootstrap *.m4 *.am aclocal* config.guess config.sub
        ltmain* xmake.lua premake*.lua sconstruct sconscript wscript waf *.gyp *.gypi *.gn *.gni *.pro *.pri *.qbs *.pc.in *.wrap
      task runners | https://just.systems/man/en/ | justfile .justfile *.just justfile.* taskfile*.* makefile.toml maskfile.md rakefile* *.rake jakefile* cakefile gulpfile* gulp/** gruntfile* grunt/** thorfile *.thor invoke.* tasks.py fabfile* dodo.py noxfile* tox.ini toxfile.py
        duties.py magefile* mage_*.go *.mage.go earthfile bakefile *.bake pavement.py shovel.py doit.cfg runfile bb.edn build.clj .tasks/** run.py build.py manage.py setup.py setup.cfg ez_setup.py
      Python builds and tests | https://docs.pytest.org/en/stable/reference/customize.html | pyproject.toml conftest.py pytest.ini .pytest.ini mypy.ini .mypy.ini .pylintrc* pylintrc* .flake8 .coveragerc .pyre_configuration .bandit .ruff.toml ruff.toml hatch*.* pdm_build.py build_hooks.py
        conf.py sphinx_conf.py mkdocs*.y*ml *_hooks.py alembic.ini alembic/** migrations/env.py versioneer.py pylama.ini .isort.cfg .style.yapf .pytype.cfg snakefile* *.smk dvc.yaml mlproject *.pyx.in _build_backend.py build_backend.py gunicorn* celeryconfig.py locustfile.py
      Ruby | https://ruby.github.io/rake/ | gemfile* *.gemfile *.gemspec config.ru .rspec* spec_helper.rb rails_helper.rb test_helper.rb .rubocop* .erb_lint.y*ml .haml-lint.y*ml .reek* .yardopts .rdoc_options guardfile capfile appraisals steepfile berksfile puppetfile .fixtures.y*ml .irb/** .pry/**
        config/initializers/** config/environments/** config/boot.rb config/application.rb config/environment.rb config/puma.rb config/unicorn.rb config/deploy/** config/deploy.rb features/support/** features/step_definitions/** lib/tasks/** spec/support/** _plugins/** fastlane/** fastfile podfile *.podspec
        db/seeds* db/migrate/** db/schema.rb .overcommit/** .simplecov .solargraph* .toys* .toys/** .standard.y*ml rubocop*.y*ml
      Rust, Go, Zig, Nim, D, Crystal, V, Odin | https://doc.rust-lang.org/cargo/reference/build-scripts.html | cargo.toml build.rs build.zig* rust-toolchain* clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml xtask/** cross.toml trybuild.toml deny.toml .config/nextest.toml
        .golangci.* .air.toml tools.go *_generate.go generate.go gqlgen.yml config.nims *.nims nim.cfg *.nimble *.nim.cfg dub.json dub.sdl shard.y*ml v.mod *.vsh
      JVM | https://docs.gradle.org/current/userguide/directory_layout.html | *.gradle *.gradle.* *.kts settings.gradle* init.gradle* gradle.properties buildsrc/** build-logic/** pom.xml build.xml ivy.xml build.sbt *.sbt project/*.scala project/*.sbt project/build.properties build.sc build.mill *.mill
        .jvmopts .sbtopts .scalafmt.conf .scalafix.conf build.boot project.clj deps.edn shadow-cljs.edn lein* *.groovy *.jsh meta-inf/** lombok.config checkstyle*.xml spotbugs* detekt.y*ml junit-platform.properties testng.xml log4j* logback*.xml arquillian.xml proguard*.pro androidmanifest.xml local.properties
      .NET | https://learn.microsoft.com/visualstudio/msbuild/customize-by-directory | *.csproj *.fsproj *.vbproj *.vcxproj* *.proj *.props *.targets *.tasks *.sln *.slnx *.slnf *.rsp *.ruleset *.globalconfig global.json .config/dotnet-tools.json dotnet-tools.json *.csx *.fsx *.cake *.nuke .nuke/** *.tt *.t4 *.runsettings xunit.runner.json *.editorconfig app.config web.config
      JavaScript tools | https://webpack.js.org/configuration/ | *.config.* *.conf.js *.conf.?js *.conf.ts *.conf.?ts *.conf.json .*rc .*rc.* *.setup.* setuptests.* setupproxy.* jest.* jest/** jest-*.* vitest.* karma* wdio.* protractor* *.workspace.ts .storybook/** storybook/** cypress/** cypress.json playwright/** e2e/support/**
        .eleventy.* ember-cli-build.js config/environment.js config/targets.js gatsby-*.* knexfile.* plopfile* _templates/** .plop/** .hygen/** .hygen.js rush.json common/config/rush/** nx.json turbo.json lerna.json workspace.json angular.json tsconfig*.json tsconfig.*.json *.tsbuildinfo nodemon*.json
        tslint.json biome.json* dprint.json* .swcrc babel.* .babel.* .browserslistrc browserslist .nycrc* .c8rc* .mocha* mocha.opts test/mocha.opts .taprc .avarc* ava.* .huskyrc* ecosystem.* pm2.* process.json .sequelizerc ormconfig.* drizzle/** prisma/** codegen.* *.graphqlrc* apollo.* orval* .postcss* .stylelint* .docusaurus/** .vuepress/**
        .vitepress/** .astro/** instrumentation*.ts instrumentation*.js next-env.d.ts webpack/** webpack.* rollup.* vite.* vite/** esbuild.* scripts.js *.babelrc .linaria* tsup.* metro* react-native.* index.d.mts electron-builder* forge.* nuxt.* .wxtrc deno.json* *-loader.* loader.mjs register.* *.snap *.shot .size-limit* .bundlewatch*
        importlib.* preload.* *.preload.* .yo-rc.json .knip* knip.* .depcheckrc* .madgerc .cspell* cspell* .remark* .alex* .markdownlint* .textlint* .vale.ini .mdx-lint*
      PHP | https://getcomposer.org/doc/articles/scripts.md | phpunit*.xml* .phpunit* phpstan*.neon* phpcs*.xml* .phpcs* .php-cs-fixer* .php_cs* psalm*.xml* rector.php ecs.php pint.json infection.json* phinx.* deploy.php castor.php robofile.php castor/** artisan box.json* captainhook.* wp-config* bootstrap/*.php tests/bootstrap.php test/bootstrap.php codeception*.y*ml behat.y*ml phpbench.json* .phan/** kahlan-config.php
      Haskell, OCaml, Elixir, Erlang, Clojure, Lisp | https://hexdocs.pm/mix/Mix.html | setup.hs setup.lhs *.cabal stack.y*ml package.yaml hpack* shake* dune dune-project dune-workspace *.opam _tags myocamlbuild.ml mix.exs .formatter.exs .credo.exs .dialyzer* coveralls.json *.exs rebar* erlang.mk relx.config *.app.src ?*.config sys.config* vm.args* *.script .eunit *.asd qlfile* .lein* tests.edn
      Perl, R, Julia, Lua, Tcl, Ada, Fortran | https://metacpan.org/pod/Module::Build | build.pl makefile.pl cpanfile* dist.ini .perlcriticrc .perltidyrc .proverc meta.json _targets.r _targets.y*ml makevars* configure.win cleanup* .rbuildignore .lintr renv/** .renv* deps/build.jl docs/make.jl test/runtests.jl .busted .luacheckrc .luacov *.rockspec stylua.toml pkgindex.tcl alire.toml *.gpr fpm.toml startup.m
      Bazel, Buck, Pants, Please | https://bazel.build/concepts/build-files | build.bazel workspace.bazel workspace.bzlmod module.bazel *.bzl *.bazel *.bazelrc .bazelrc* .bazelversion .bazeliskrc tools/bazel BUILD WORKSPACE BUCK TARGETS .buckconfig* .buckroot pants.toml BUILD.* .plzconfig* *.star *.sky *.build_defs
      Apple | https://developer.apple.com/documentation/xcode | package.swift package@swift* *.pbxproj *.xcconfig *.xcscheme *.xcodeproj/** *.xcworkspace/** project.swift tuist/** tuist.swift workspace.swift project.y*ml .xcode* .swiftlint* .swiftformat .periphery* .sourcery* *.entitlements export*options.plist
      Terraform, Ansible, Puppet, Chef, Salt | https://developer.hashicorp.com/terraform/language | *.tf *.tf.json *.tfvars* *.tofu .terraformrc terraform.rc terragrunt.* *.hcl *.nomad ansible.cfg .ansible-lint ansible/** playbook*.y*ml site.y*ml roles/*/tasks/** roles/*/handlers/** group_vars/** host_vars/** *.pp recipes/*.rb attributes/*.rb metadata.rb kitchen.y*ml .kitchen.y*ml *.sls
      packaging | https://www.debian.org/doc/debian-policy/ | debian/** *.spec rpm/** pkgbuild* apkbuild* *.install *.ebuild snapcraft.y*ml snap/** flatpak* *.flatpakref *.wxs *.iss *.nsi *.nsh portfile.cmake *.rb.in chocolatey* *.nuspec.in .fpm
      API and schema generators | https://buf.build/docs/configuration/ | buf*.y*ml sqlc.* atlas.hcl openapitools.json .openapi-generator* graphql.config.* .graphqlconfig codegen*.y*ml swagger-codegen* jooq* flyway.* liquibase.* .sqlfluff dbt_project.y*ml profiles.y*ml
      documentation | https://jekyllrb.com/docs/configuration/ | _config*.y*ml book.toml hugo.* config.toml antora*.y*ml .mkdocs* doxyfile* .readme* latexmkrc .latexmkrc *.latexmkrc arara* *.ltx quarto* _quarto*.y*ml _bookdown* .asciidoctorconfig* typedoc.* jsdoc.* .esdoc* .pdoc*
      notebooks and data pipelines | https://ipython.readthedocs.io/ | *.ipynb airflow.cfg dags/** *.nf nextflow.config prefect.* dagster.y*ml luigi.cfg kedro* meltano.y*ml
      web servers and supervisors | https://nginx.org/en/docs/ | nginx* caddyfile* supervisord* apache* httpd* *.vhost uwsgi* .ebignore monit* haproxy* traefik*
    `,
  },
];
