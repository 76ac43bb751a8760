const MAX_STEM_LETTERS = 6;

// Scripts written without spaces, in which a run of letters is not one word.
const UNSPACED = new RegExp(
  `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
    .map((script) => `\\p{Script=${script}}`)
    .join('')}]`,
  'u',
);
const RUN = new RegExp(`${UNSPACED.source}+|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED.source}]+`, 'gv');

// Function words of common languages. In other languages the weights of `rankSentences` have the
// same effect, given enough text.
const FUNCTION_WORDS = new Set(
  `a about am an and any are as at be been but by can could did do does for from give had has have
  he her his how i if in into is it its just let may me might my no not of on or our please she
  should so some tell than that the their them then there these they this those to us was we were
  what when where which who whom whose why will with would you your
  der die das den dem des ein eine einen einem einer und oder ist sind war wie was wer wo wann warum
  ich du er sie es wir ihr mein dein sein im in am an auf aus bei mit nach von zu zum zur für nicht
  le la les un une des du de et ou est sont que qui quoi quel quelle quels où quand comment pourquoi
  je tu il elle nous vous mon ma mes ton ta tes son sa ses dans sur par pour avec ne pas au aux ce
  el los las una unos unas y es son qué quién cuál cómo dónde cuándo por para con sin en del al lo
  mi su no se il gli uno che chi come dove quando perché di da per con non o os as um uma e é
  são
  het een van is zijn wat wie waar wanneer hoe waarom ik jij wij met voor op te niet`.split(/\s+/u),
);

/**
 * Returns the content terms of `text` in order, with repetitions: NFKC, lower case, without
 * function words and plural `s`, cut to 6 letters, so that "return", "returns" and "returned" are
 * one term. Scripts without spaces give pairs of letters.
 */
export function splitTerms(text: string): string[] {
  const spaced = text.normalize('NFKC').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return (spaced.toLowerCase().match(RUN) ?? []).flatMap((run) =>
    UNSPACED.test(run) ? letterPairs(run) : stem(run),
  );
}

function letterPairs(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

function stem(word: string): string[] {
  if (FUNCTION_WORDS.has(word) || /^[a-z]$/u.test(word)) return [];
  const singular = /[^s]s$/u.test(word) && word.length > 3 ? word.slice(0, -1) : word;
  return [[...singular].slice(0, MAX_STEM_LETTERS).join('')];
}
