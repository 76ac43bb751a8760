/** Joins the text around removed parts, collapsing the two spaces at a removal into one. */
export type TextJoiner = {
  /** Returns the text to show after everything shown before. */
  show(text: string): string;
  /** Marks a removal at the current position. */
  cut(): void;
};

/** Creates a joiner for one text, in pieces of any size. Double spaces elsewhere are preserved. */
export function createTextJoiner(): TextJoiner {
  let endsInSpace = false;
  let isCut = false;
  return {
    show(text) {
      if (text === '') return '';
      const shown = isCut && endsInSpace && text.startsWith(' ') ? text.slice(1) : text;
      isCut = false;
      if (shown !== '') endsInSpace = shown.endsWith(' ');
      return shown;
    },
    cut() {
      isCut = true;
    },
  };
}
