import { findLabelled, findNamedOptions, listNumbers } from './find-labelled.ts';
import { splitTerms } from './split-terms.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

const MAX_LIST_ITEMS = 1;

// Parameters that take the whole user text.
const WHOLE_QUESTION_NAMES =
  /^(?:q|query|question|text|prompt|input|message|search|content|request|term|keywords?)$/iu;

/**
 * Finds a tool call's arguments in the user's text. A text argument is, in this order: the whole
 * text for parameters such as `query`, the value after the parameter's name, a quoted phrase, a
 * capitalised name inside a sentence, and for required parameters the words after the last
 * preposition, else the whole text. Each number is used once, in order.
 */
export function createQuestionFinder(words: string): ValueFinder {
  const numbers = listNumbers(words);
  const names = listNames(words);
  return {
    findText: (hint) => findText(words, names, hint),
    findNumber: ({ name }) => listNumbers(findAfterName(words, name) ?? '')[0] ?? numbers.shift(),
    findBoolean: ({ name }) => (mentions(words, name) ? true : undefined),
    findPattern: (form) => form.exec(words)?.[0],
    findNamed: (options) => findNamedOptions(words, options),
    countItems: ({ isRequired }) => (isRequired ? MAX_LIST_ITEMS : 0),
  };
}

function findText(words: string, names: string[], hint: Hint): string | undefined {
  if (WHOLE_QUESTION_NAMES.test(hint.name)) return words;
  const found = findAfterName(words, hint.name) ?? names.shift();
  if (found !== undefined || !hint.isRequired) return found;
  return findAfterPreposition(words) ?? (words === '' ? undefined : words);
}

function findAfterName(words: string, name: string): string | undefined {
  const labelled = findLabelled(words, name);
  if (labelled !== undefined) return labelled.replace(/[.?!]+$/u, '');
  const [term] = splitTerms(name);
  const spoken = words.split(/\s+/u);
  const at = spoken.findIndex((word) => term !== undefined && splitTerms(word)[0] === term);
  const value = /^\p{Lu}?[\p{L}\p{N}_#-]*\p{N}[\p{L}\p{N}_-]*/u.exec(spoken[at + 1] ?? '')?.[0];
  return at < 0 ? undefined : value;
}

function listNames(words: string): string[] {
  const quoted = [...words.matchAll(/["“«„]([^"“”«»„]{1,200})["”»“]/gu)].map(
    ([, text = '']) => text,
  );
  const capitalised = words.matchAll(
    /(?<=[\p{Ll}\p{N},:]\s+)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu,
  );
  const named = [...capitalised].map(([text]) => text.replace(/[.'’-]+$/u, ''));
  return [...quoted, ...named].filter((text) => text !== '' && text !== 'I');
}

function findAfterPreposition(words: string): string | undefined {
  const found = /^.*\b(?:in|for|of|at|to|from|about|on|with)\s+([^.?!]{1,200})/iu.exec(words);
  return found?.[1]?.replace(/^(?:the|a|an)\s+/iu, '').trim();
}

function mentions(words: string, name: string): boolean {
  const spoken = new Set(splitTerms(words));
  const terms = splitTerms(name);
  return terms.length > 0 && terms.every((term) => spoken.has(term));
}
