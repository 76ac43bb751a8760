import { isRecord } from './is-record.ts';
import { splitTerms } from './split-terms.ts';

export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
};

type ToolChoice = { readonly tools: readonly OfferedTool[]; readonly isForced: boolean };

const MAX_TOOLS = 256;
const CLEAR_MATCHES = 2;

// Common words of function names, such as `get`, which do not identify the subject.
const VERBS = new Set(
  `get fetch find search list lookup look query call run do make create read show retrieve tool
  function api data info information`
    .split(/\s+/u)
    .flatMap((word) => splitTerms(word)),
);

/**
 * Returns the tool that matches the question, or undefined.
 *
 * With `tool_choice` `required` or a named function, returns the best match, or the first tool if
 * none matches; `allowed_tools` narrows the list first. With `auto`, the default, only a clear
 * match counts: every word of the function's name except verbs such as `get` is in the question, or
 * two words of its name, description and parameter names are. The score is the number of common
 * words, those of the name counted twice; of equal scores the first wins.
 */
export function chooseTool(body: unknown, question: string): OfferedTool | undefined {
  const { tools, isForced } = readToolChoice(isRecord(body) ? body : {});
  const questionTerms = new Set(splitTerms(question));
  const matches = tools.map((tool) => ({ tool, ...matchTool(tool, questionTerms) }));
  const eligible = matches.filter(({ isClear }) => isForced || isClear);
  return eligible.toSorted((one, other) => other.score - one.score)[0]?.tool;
}

function readToolChoice(body: Readonly<Record<string, unknown>>): ToolChoice {
  const { tool_choice: choice } = body;
  const tools = readTools(body['tools']);
  if (choice === 'none') return { tools: [], isForced: false };
  if (!isRecord(choice)) return { tools, isForced: choice === 'required' };
  if (choice['type'] === 'allowed_tools' && isRecord(choice['allowed_tools'])) {
    const allowed = readTools(choice['allowed_tools']['tools']).map(({ name }) => name);
    const isForced = choice['allowed_tools']['mode'] === 'required';
    return { tools: tools.filter(({ name }) => allowed.includes(name)), isForced };
  }
  const named = isRecord(choice['function']) ? choice['function']['name'] : undefined;
  return { tools: tools.filter(({ name }) => name === named), isForced: true };
}

function readTools(list: unknown): OfferedTool[] {
  const entries = Array.isArray(list) ? list.slice(0, MAX_TOOLS) : [];
  return entries.flatMap((entry) => {
    const offered = isRecord(entry) && isRecord(entry['function']) ? entry['function'] : {};
    const { name, description, parameters } = offered;
    if (typeof name !== 'string' || name === '') return [];
    const text = typeof description === 'string' ? description : '';
    return [{ name, description: text, parameters: parameters ?? { type: 'object' } }];
  });
}

function matchTool(
  { name, description, parameters }: OfferedTool,
  questionTerms: ReadonlySet<string>,
): { isClear: boolean; score: number } {
  const properties = isRecord(parameters) && isRecord(parameters['properties']);
  const parameterNames = properties ? Object.keys(Object(parameters['properties'])).join(' ') : '';
  const inName = new Set(splitTerms(name).filter((term) => !VERBS.has(term)));
  const allTerms = new Set([...inName, ...splitTerms(`${description} ${parameterNames}`)]);
  const shared = [...allTerms].filter((term) => questionTerms.has(term) && !VERBS.has(term));
  const sharedInName = shared.filter((term) => inName.has(term)).length;
  const isNamed = inName.size > 0 && sharedInName === inName.size;
  return {
    isClear: isNamed || shared.length >= CLEAR_MATCHES,
    score: shared.length + sharedInName,
  };
}
