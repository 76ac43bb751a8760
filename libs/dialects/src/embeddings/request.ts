import type {
  EgressEdits,
  EgressTarget,
  LeafPath,
  RequestLeaf,
  RequestSummary,
  RoutingSignals,
} from '../dialect.ts';
import { asList, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/** Returns the members that the gateway needs. An embedding has no answer of tokens: no choices. */
export const readRequest = (body: JsonObject): RequestSummary => ({
  model: asText(body.model),
  streamed: false,
  wantsUsage: false,
  choices: 0,
  outputLimits: {},
  samplingNames: [],
  reasoningEffort: '',
  vectorRequest: {
    encoding: body.encoding_format === 'base64' ? 'base64' : 'float',
    count: countInputs(body.input),
  },
});

const countInputs = (input: unknown): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;

export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => ({
  edits: target.model === summary.model ? {} : { model: JSON.stringify(target.model) },
  dropped: [],
  outputTokens: 0,
});

/** Characters that a token of an input counts as; its text is unknown. */
const CHARACTERS_PER_TOKEN = 4;

export const readSignals = ({ input }: JsonObject): RoutingSignals => {
  const texts = typeof input === 'string' ? [input] : asList(input);
  const lengths = texts.map((item) =>
    typeof item === 'string'
      ? item.length
      : (Array.isArray(item) ? item.length : 1) * CHARACTERS_PER_TOKEN,
  );
  return {
    openingText: asText(texts[0]),
    lastUserText: '',
    systemText: '',
    promptLength: lengths.reduce((sum, length) => sum + length, 0),
    userTurns: 1,
    toolCount: 0,
    hasOpenToolCalls: false,
    hasSignedReasoning: false,
    wantsReasoning: false,
    wantsJson: false,
    mediaCount: 0,
  };
};

/**
 * Returns the path of the inputs if they are not texts: tokens, which are text in a notation of a
 * model, or members that only a provider knows.
 */
export const findUnreadable = ({ input }: JsonObject): string | undefined => {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input ?? ''];
  return inputs.every((item) => typeof item === 'string') ? undefined : 'input';
};

const FIXED_MEMBERS = new Set<unknown>(['model', 'encoding_format', 'dimensions']);

/** Classifies the members of a request. The numbers of token inputs are not read. */
export const toRequestLeaf = (
  path: LeafPath,
  body: Readonly<Record<string, unknown>>,
): RequestLeaf => {
  const [member, index] = path;
  if (FIXED_MEMBERS.has(member)) return 'fixed';
  if (member !== 'input' || path.length === 1) return 'text';
  const { input } = body;
  const item = Array.isArray(input) ? (input[Number(index)] as unknown) : undefined;
  return typeof item === 'string' ? 'text' : 'signed';
};
