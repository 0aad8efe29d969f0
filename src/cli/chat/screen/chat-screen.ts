import { ProcessTerminal, TuiMainScreen, type TuiStopOptions, visibleWidth } from "@earendil-works/pi-tui";
import { systemClock } from "../../../base/clock.ts";

const BEGIN = "\u001b[?2026h\u001b[?25l";
const END = "\u001b[?2026l";
const CLEAR_BELOW = "\r\u001b[J";

/** What stands at the end of the screen and is drawn anew, and where the cursor is in it. */
type Frame = { readonly rows: readonly string[]; readonly cursor: { readonly row: number; readonly col: number } };

/** A window that is dragged has many sizes, and where its rows break is certain only at the last. */
const SETTLES_MS = 80;

const NOTHING: Frame = { rows: [], cursor: { row: 0, col: 0 } };

/**
 * The terminal's own screen and scrollback: what was shown for good is written once, as any program writes, and only the rows behind it are drawn anew.
 * Nothing that stood there before is ever cleared.
 */
export class ChatScreen extends TuiMainScreen {
  private frame: Frame = NOTHING;
  private size = "";
  private settlesAtMs = 0;
  private readonly above: ((columns: number) => readonly string[])[] = [];

  constructor() {
    super(new ProcessTerminal(), true);
  }

  /** Shows something for good. While the terminal is lent, it waits. */
  show(rows: (columns: number) => readonly string[]): void {
    this.above.push(rows);
    this.requestRender();
  }

  /** Draws at once: a drawing that was planned before the last stop never came, and the library would wait for it. */
  override start(): void {
    this.size = this.sizeNow();
    super.start();
    this.requestRender(true);
  }

  /** Takes the live rows off and gives the terminal back as it was. */
  override stop(options?: TuiStopOptions): void {
    if (!this.stopped) super.stop(options);
  }

  protected override doRender(): void {
    if (this.stopped) return;
    if (this.isResizing()) return;
    const { columns, rows: height } = this.terminal;
    const all = this.resolveFakeCursors(this.render(columns));
    const rows = all.slice(-Math.max(1, height - 1));
    const cursor = this.extractCursorPosition(rows, height) ?? { row: rows.length - 1, col: 0 };
    this.draw({ rows: this.applyLineResets(rows), cursor }, columns);
  }

  protected override beforeTerminalStop(): void {
    this.draw(NOTHING, this.terminal.columns);
  }

  private sizeNow(): string {
    return `${String(this.terminal.columns)} x ${String(this.terminal.rows)}`;
  }

  private isResizing(): boolean {
    const nowMs = systemClock.monotonicMs();
    if (this.size !== this.sizeNow()) {
      this.size = this.sizeNow();
      this.settlesAtMs = nowMs + SETTLES_MS;
    }
    if (nowMs >= this.settlesAtMs) return false;
    setTimeout(() => this.requestRender(), this.settlesAtMs - nowMs);
    return true;
  }

  private draw(next: Frame, columns: number): void {
    const { rows, cursor } = this.frame;
    const above = this.above.splice(0).flatMap((rowsOf) => rowsOf(columns));
    // A narrower window has broken the rows above the cursor in more.
    const up = rows.slice(0, cursor.row).reduce((sum, row) => sum + heightOf(visibleWidth(row), columns), Math.floor(cursor.col / columns));
    const down = Math.max(0, next.rows.length - 1 - next.cursor.row);
    this.terminal.write(
      [
        BEGIN,
        up > 0 ? `\u001b[${String(up)}A` : "",
        CLEAR_BELOW,
        ...above.map((row) => `${row}\r\n`),
        next.rows.join("\r\n"),
        down > 0 ? `\u001b[${String(down)}A` : "",
        `\u001b[${String(next.cursor.col + 1)}G`,
        next === NOTHING ? "" : "\u001b[?25h",
        END,
      ].join(""),
    );
    this.frame = next;
  }
}

function heightOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
