/** Joins the text around removed parts and collapses the two spaces at a removal into one. */
export type TextJoiner = {
  show(text: string): string;
  cut(): void;
};

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
