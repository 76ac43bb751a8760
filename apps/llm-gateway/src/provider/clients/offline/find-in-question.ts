import { findLabelled, findNamedOptions, listNumbers } from './find-labelled.ts';
import { splitTerms } from './split-terms.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

const MAX_LIST_ITEMS = 1;

// Names of parameters whose value is the whole user text.
const WHOLE_QUESTION_NAMES =
  /^(?:q|query|question|text|prompt|input|message|search|content|request|term|keywords?)$/iu;

/**
 * Creates a finder of a tool call's arguments in the user's text. A text argument is, in this
 * order: the whole text for parameters such as `query`, the value after the parameter's name, a
 * quoted phrase, a capitalised name inside a sentence, and for required parameters the words after
 * the last preposition, else the whole text. Each number is used once, in order.
 */
export function createQuestionFinder(userText: string): ValueFinder {
  const numbers = listNumbers(userText);
  const names = listNames(userText);
  return {
    findText: (hint) => findText(userText, names, hint),
    findNumber: ({ name }) =>
      listNumbers(findAfterName(userText, name) ?? '')[0] ?? numbers.shift(),
    findBoolean: ({ name }) => (mentions(userText, name) ? true : undefined),
    findPattern: (form) => form.exec(userText)?.[0],
    findNamed: (options) => findNamedOptions(userText, options),
    countItems: ({ isRequired }) => (isRequired ? MAX_LIST_ITEMS : 0),
  };
}

function findText(userText: string, names: string[], hint: Hint): string | undefined {
  if (WHOLE_QUESTION_NAMES.test(hint.name)) return userText;
  const found = findAfterName(userText, hint.name) ?? names.shift();
  if (found !== undefined || !hint.isRequired) return found;
  return findAfterPreposition(userText) ?? (userText === '' ? undefined : userText);
}

function findAfterName(userText: string, name: string): string | undefined {
  const labelled = findLabelled(userText, name);
  if (labelled !== undefined) return labelled.replace(/[.?!]+$/u, '');
  const [term] = splitTerms(name);
  const words = userText.split(/\s+/u);
  const at = words.findIndex((word) => term !== undefined && splitTerms(word)[0] === term);
  const value = /^\p{Lu}?[\p{L}\p{N}_#-]*\p{N}[\p{L}\p{N}_-]*/u.exec(words[at + 1] ?? '')?.[0];
  return at < 0 ? undefined : value;
}

function listNames(userText: string): string[] {
  const quoted = [...userText.matchAll(/["“«„]([^"“”«»„]{1,200})["”»“]/gu)].map(
    ([, text = '']) => text,
  );
  const capitalised = userText.matchAll(
    /(?<=[\p{Ll}\p{N},:]\s+)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu,
  );
  const named = [...capitalised].map(([text]) => text.replace(/[.'’-]+$/u, ''));
  return [...quoted, ...named].filter((text) => text !== '' && text !== 'I');
}

function findAfterPreposition(userText: string): string | undefined {
  const found = /^.*\b(?:in|for|of|at|to|from|about|on|with)\s+([^.?!]{1,200})/iu.exec(userText);
  return found?.[1]?.replace(/^(?:the|a|an)\s+/iu, '').trim();
}

function mentions(userText: string, name: string): boolean {
  const textTerms = new Set(splitTerms(userText));
  const terms = splitTerms(name);
  return terms.length > 0 && terms.every((term) => textTerms.has(term));
}
