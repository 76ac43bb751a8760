/**
 * Joins the pieces of a text from which parts were cut. Where spaces on both sides of a cut would
 * meet, one of them is dropped.
 */
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
      const joinedText = isCut && endsInSpace && text.startsWith(' ') ? text.slice(1) : text;
      isCut = false;
      if (joinedText !== '') endsInSpace = joinedText.endsWith(' ');
      return joinedText;
    },
    cut() {
      isCut = true;
    },
  };
}
