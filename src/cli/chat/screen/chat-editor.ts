import { Editor, type EditorTheme, type TUI, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { paint } from "../../view/style.ts";

const plain = (text: string): string => text;
const dim = (text: string): string => paint("dim", text);
const THEME: EditorTheme = {
  borderColor: dim,
  selectList: { selectedPrefix: plain, selectedText: (text) => paint("bold", text), description: dim, scrollInfo: dim, noMatch: plain },
};
const NO_ROW = "\u0000";

/** Where a person types, below a bar that says how things stand. Nothing is below the last line: where a window is resized, terminals differ on what they do there. */
export class ChatEditor extends Editor {
  private readonly status: () => string;

  constructor(screen: TUI, status: () => string) {
    super(screen, THEME);
    this.status = status;
  }

  override render(columns: number): string[] {
    return super
      .render(columns)
      .filter((row) => row !== NO_ROW)
      .map((row) => row.trimEnd());
  }

  protected override renderTopBorder(columns: number, hidden: number): string {
    const text = truncateToWidth(`── ${this.status()}${hidden > 0 ? ` · ${String(hidden)} lines above` : ""} `, columns, "…");
    return dim(text + "─".repeat(Math.max(0, columns - visibleWidth(text))));
  }

  protected override renderBottomBorder(columns: number, hidden: number): string {
    return hidden > 0 ? dim(truncateToWidth(`── ${String(hidden)} lines below`, columns, "…")) : NO_ROW;
  }
}
