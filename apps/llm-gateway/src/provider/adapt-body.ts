import { editMembers, parseObject } from '@witan/dialects';

/** How a provider's requests differ from those of its dialect. */
export type BodyAdaptation = {
  /** Name of the output limit, if the provider knows only one of the two. */
  outputLimit: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** Members that the provider refuses; they are removed. */
  unsupported: readonly string[];
  /** False if the provider accepts no JSON Schema for answers; otherwise that is found out. */
  jsonSchema?: boolean | undefined;
};

export type AdaptedBody = {
  text: string;
  /** Names of the removed members. */
  removed: readonly string[];
};

/**
 * Removes the members that a provider refuses, and renames the output limit. The rest of the body
 * is unchanged. If a body has both limits, the one that the provider knows stays.
 */
export const adaptBody = (
  text: string,
  { outputLimit, unsupported }: BodyAdaptation,
): AdaptedBody => {
  if (outputLimit === undefined && unsupported.length === 0) return { text, removed: [] };
  const body = parseObject(text) ?? {};
  const removed = unsupported.filter((name) => Object.hasOwn(body, name));
  const edits: Record<string, string | null> = {};
  for (const name of removed) edits[name] = null;
  const other = outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (outputLimit !== undefined && Object.hasOwn(body, other)) {
    edits[other] = null;
    if (!Object.hasOwn(body, outputLimit)) edits[outputLimit] = JSON.stringify(body[other]);
  }
  return { text: Object.keys(edits).length === 0 ? text : editMembers(text, edits), removed };
};
