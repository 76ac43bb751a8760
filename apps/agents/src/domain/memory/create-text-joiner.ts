/** Joins what is left of a text around what is taken out of it: one space, where two would be. */
export type TextJoiner = {
  /** The text as it is to be shown behind what was shown before. */
  show(text: string): string;
  /** Something was taken out here. */
  cut(): void;
};

/** A seam of one text, which may come in any pieces. Double spaces elsewhere stay. */
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
