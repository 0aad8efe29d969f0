import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { type BrowserContext, chromium, type Dialog, type Download, type Page, type Route } from "playwright-core";
import {
  type BrowserAnswer,
  type BrowserOrder,
  type BrowserPage,
  MAX_FILE_BYTES,
  MAX_FILE_NAME,
  MAX_IMAGE,
  MAX_NOTE,
  MAX_NOTES,
  MAX_TITLE,
  MAX_TREE,
  MAX_URL,
  sendsSomething,
} from "./order.ts";
import { isOfSite, mayRequest, siteOf } from "./rules.ts";

/**
 * The program beside Chromium, inside the browser's sandbox. It takes orders, one JSON object a line, and gives one answer to each. Nothing of it is trusted outside:
 * a page that took Chromium over has this program, too.
 */

const [socketPath = "", authorities = "", proxy = ""] = process.argv.slice(2);
const VIEWPORT = { width: 1280, height: 800 };
/** How long a page may go on loading once its document is there. */
const SETTLE_MS = 3000;
const SETTLED_MS = 300;
const MAX_DIALOGS = 10;
const DOWNLOADS = "/tmp/downloads";
const LOOK_MS = 200;

const notes: string[] = [];
const note = (text: string): void => {
  if (notes.length < MAX_NOTES) notes.push(text.slice(0, MAX_NOTE));
  else notes[MAX_NOTES - 1] = "… and more";
};

/** Sites that something was allowed to be sent to, by scheme, host and port, while one of their pages is open. */
const sending = new Set<string>();

/** Opens Chromium, which trusts the authority that ends TLS in the egress proxy, and leaves nothing for the next one. */
async function openContext(): Promise<BrowserContext> {
  trustAuthority();
  const browser = await chromium.launch({
    executablePath: "/usr/lib/chromium/chromium",
    // The container around it is its sandbox: no user namespace is to be had inside.
    chromiumSandbox: false,
    proxy: { server: proxy, bypass: "<-loopback>" },
    args: [
      "--disable-quic",
      "--dns-prefetch-disable",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      "--js-flags=--max-old-space-size=512",
    ],
    // Only what was clicked opens a window.
    ignoreDefaultArgs: ["--disable-popup-blocking"],
    downloadsPath: DOWNLOADS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  browser.on("disconnected", () => process.exit(1));
  const context = await browser.newContext({
    viewport: VIEWPORT,
    locale: "en-US",
    timezoneId: "UTC",
    serviceWorkers: "block",
    acceptDownloads: true,
    permissions: [],
  });
  await context.route(() => true, judge);
  return context;
}

function trustAuthority(): void {
  if (!existsSync(authorities)) return;
  const own =
    readFileSync(authorities, "utf8")
      .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu)
      ?.at(-1) ?? "";
  const home = process.env["HOME"] ?? "/tmp";
  const store = `sql:${home}/.pki/nssdb`;
  execFileSync("/bin/mkdir", ["-p", `${home}/.pki/nssdb`]);
  writeFileSync(`${home}/authority.pem`, own);
  execFileSync("/usr/bin/certutil", ["-d", store, "-N", "--empty-password"]);
  execFileSync("/usr/bin/certutil", ["-d", store, "-A", "-t", "C,,", "-n", "warder", "-i", `${home}/authority.pem`]);
}

async function judge(route: Route): Promise<void> {
  const request = route.request();
  const made = { method: request.method(), url: request.url() };
  if (mayRequest(made, page.url(), sending)) return await route.continue();
  note(`the page was not let make a ${made.method} to ${siteOf(made.url)}`);
  await route.abort("blockedbyclient");
}

/** Ends what is under way, because of what the page did. */
let abandon: (reason: string) => void = () => undefined;
let dialogs = 0;
/** Takes the next file that the page offers. */
let take: ((download: Download) => void) | null = null;

async function watch(opened: Page): Promise<void> {
  opened.on("crash", () => abandon("the page broke: it took too much memory, or Chromium failed"));
  opened.on("dialog", (dialog: Dialog) => {
    dialogs += 1;
    if (dialogs > MAX_DIALOGS) return abandon("the page opens dialogs without end");
    note(`a dialog was dismissed: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  opened.on("download", (download: Download) => {
    if (take !== null) {
      take(download);
      take = null;
      return;
    }
    note(`a file was offered and not taken: ${download.suggestedFilename()} from ${download.url()}`);
    download.cancel().catch(() => undefined);
  });
  opened.on("popup", (popup: Page) => {
    popup
      .waitForURL((url) => url.href !== "about:blank", { timeout: 1000, waitUntil: "commit" })
      .catch(() => undefined)
      .then(() => note(`the page wanted a new window for ${popup.url()}, which was closed; open it if it is what you want`))
      .then(() => popup.close())
      .catch(() => undefined);
  });
  await opened.addInitScript("for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];");
}

const context = await openContext();
let page = await context.newPage();
await watch(page);

/** A page that does not answer any more is left for a new one. */
async function freshPage(): Promise<void> {
  page = await context.newPage();
  await watch(page);
  for (const other of context.pages()) if (other !== page) other.close({ runBeforeUnload: false }).catch(() => undefined);
}

/** A page that is not to be gone on with is left for an empty one. */
async function perform(order: BrowserOrder): Promise<BrowserAnswer> {
  notes.length = 0;
  dialogs = 0;
  take = null;
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  let isAbandoned = false;
  abandon = (reason) => {
    isAbandoned = true;
    reject(new Error(`${reason}; it was closed`));
  };
  try {
    return await Promise.race([act(order), abandoned]);
  } catch (error) {
    if (isAbandoned) await freshPage();
    return failure(error);
  }
}

async function act({ url, deed, timeoutMs }: BrowserOrder): Promise<BrowserAnswer> {
  const site = siteOf(url);
  let file: BrowserPage["file"] = null;
  const timeout = Math.max(1000, timeoutMs - 2000);
  page.setDefaultTimeout(timeout);
  if (deed.kind === "open") {
    sending.clear();
    await freshPage();
    page.setDefaultTimeout(timeout);
    await page.goto(url, { waitUntil: "domcontentloaded", timeout });
  } else {
    if (!isOfSite(page.url(), url)) return { kind: "failed", reason: `the page is at ${shownUrl()}, and not of ${site}` };
    if (sendsSomething(deed)) sending.add(site);
    switch (deed.kind) {
      case "click":
        await at(deed.ref).click();
        break;
      case "type":
        await at(deed.ref).fill(deed.text);
        if (deed.submits) await at(deed.ref).press("Enter");
        break;
      case "select":
        await at(deed.ref).selectOption([...deed.values]);
        break;
      case "download":
        file = await taken(deed.ref, timeout);
        break;
      case "press":
        await page.keyboard.press(deed.key);
        break;
      case "back":
        await page.goBack({ waitUntil: "domcontentloaded", timeout });
        break;
      case "read":
      case "screenshot":
        break;
    }
  }
  await settle();
  return { kind: "page", page: { ...(await shown(deed.kind === "screenshot")), file } };
}

const at = (ref: string) => page.locator(`aria-ref=${ref}`);

const shownUrl = (): string => page.url().slice(0, MAX_URL);

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  await page.waitForLoadState("load", { timeout: SETTLE_MS }).catch(() => undefined);
}

async function shown(isPicture: boolean): Promise<Omit<BrowserPage, "file">> {
  const image = isPicture ? await picture() : "";
  const tree = isPicture ? "" : await page.ariaSnapshot({ mode: "ai", timeout: 15_000 });
  if (tree.length > MAX_TREE) note(`the tree has ${tree.length} characters, of which these are the first ${MAX_TREE}`);
  const title = await Promise.race([page.title().catch(() => ""), new Promise<string>((resolve) => setTimeout(resolve, 2000, ""))]);
  return { url: shownUrl(), title: title.slice(0, MAX_TITLE).toWellFormed(), tree: tree.slice(0, MAX_TREE).toWellFormed(), notes: [...notes], image };
}

/** Clicks, and waits for the file that comes of it, up to a size and as long as the order may take. */
async function taken(ref: string, timeout: number): Promise<BrowserPage["file"]> {
  const offered = Promise.withResolvers<Download>();
  take = offered.resolve;
  const late = setTimeout(() => offered.reject(new Error("the page offered no file")), timeout);
  try {
    await at(ref).click();
    const download = await offered.promise;
    const path = await finished(download, timeout);
    const data = readFileSync(path).toString("base64");
    return { name: download.suggestedFilename().slice(0, MAX_FILE_NAME).toWellFormed(), data };
  } finally {
    clearTimeout(late);
    take = null;
    rmSync(DOWNLOADS, { recursive: true, force: true });
  }
}

async function finished(download: Download, timeout: number): Promise<string> {
  const looking = setInterval(() => {
    if (sizeIn(DOWNLOADS) > MAX_FILE_BYTES) void download.cancel().catch(() => undefined);
  }, LOOK_MS);
  const late = setTimeout(() => void download.cancel().catch(() => undefined), timeout);
  try {
    const path = await download.path();
    if (statSync(path).size <= MAX_FILE_BYTES) return path;
  } catch (error) {
    if (!(error instanceof Error && /cancel/iu.test(error.message))) throw error;
  } finally {
    clearInterval(looking);
    clearTimeout(late);
  }
  throw new Error(`the file is larger than ${MAX_FILE_BYTES} bytes, or took too long`);
}

function sizeIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => sum + (statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.size ?? 0), 0);
}

async function picture(): Promise<string> {
  const whole = (await page.screenshot({ type: "png", timeout: 15_000 })).toString("base64");
  if (whole.length <= MAX_IMAGE) return whole;
  return (await page.screenshot({ type: "jpeg", quality: 60, timeout: 15_000 })).toString("base64");
}

function failure(error: unknown): BrowserAnswer {
  const message = error instanceof Error ? error.message : String(error);
  // The first line says what happened, what follows is how Playwright came there.
  const [line = ""] = message.replace(/^\w+\.\w+: /u, "").split("\n");
  if (line.includes("ERR_TUNNEL_CONNECTION_FAILED"))
    return { kind: "failed", reason: "the egress proxy gave no connection: the policy does not have a host that it leads to, or nobody answers there" };
  return { kind: "failed", reason: line.slice(0, MAX_NOTE).toWellFormed() };
}

const owner = connect(socketPath);
owner.on("error", () => process.exit(1));
owner.on("close", () => process.exit(0));
const say = (value: unknown): void => void owner.write(`${JSON.stringify(value)}\n`);
say({ kind: "ready" });
for await (const line of createInterface({ input: owner })) {
  const order = JSON.parse(line) as BrowserOrder;
  say(await perform(order));
}
