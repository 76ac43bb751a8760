import type { RoutingSignals } from '../dialect.ts';
import { asList, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readEncryptedContent } from '../neutral/provider-signature.ts';

const NO_EFFORT = new Set(['', 'none', 'minimal']);
const MEDIA = new Set<unknown>(['input_image', 'input_file', 'input_audio']);
const INSTRUCTION_ROLES = new Set<unknown>(['system', 'developer']);

type Turn = { isUser: boolean; texts: string[]; hasResults: boolean };
type PartialSignals = { system: string[]; turns: Turn[]; length: number; mediaCount: number };

/**
 * Returns the routing signals of a parsed body. Members of a wrong type count as absent. A response
 * that `previous_response_id` names is not included, because its provider stores it.
 */
export const readSignals = (body: JsonObject): RoutingSignals => {
  const instructions = asText(body.instructions);
  const signals: PartialSignals = {
    system: instructions === '' ? [] : [instructions],
    turns: [],
    length: instructions.length,
    mediaCount: 0,
  };
  const items = inputItems(body.input);
  for (const item of items) addItem(signals, item);
  const tools = asList(body.tools);
  const userTexts = signals.turns
    .filter(({ isUser }) => isUser)
    .map(({ texts }) => texts.join('\n'))
    .filter((text) => text !== '');
  const encrypted = items.map((item) => asText(item.encrypted_content)).find((text) => text !== '');
  const format = asText(asObject(asObject(body.text)?.format)?.type);
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText: signals.system.join('\n\n'),
    promptLength: signals.length + (tools.length > 0 ? JSON.stringify(tools).length : 0),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: signals.turns.at(-1)?.hasResults ?? false,
    hasSignedReasoning: encrypted !== undefined,
    ...(encrypted !== undefined && {
      signingDialect: readEncryptedContent(encrypted) ? 'messages' : 'responses',
    }),
    wantsReasoning: !NO_EFFORT.has(asText(asObject(body.reasoning)?.effort)),
    wantsJson: format === 'json_object' || format === 'json_schema',
    mediaCount: signals.mediaCount,
  };
};

/** Returns the items of `input`; a text is one message of the user. */
export const inputItems = (input: unknown): JsonObject[] =>
  typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : asList(input)
        .map(asObject)
        .filter((item) => item !== undefined);

const addItem = (signals: PartialSignals, item: JsonObject): void => {
  const type = item.type ?? 'message';
  if (type === 'message') return addMessage(signals, item);
  if (typeof type === 'string' && type.endsWith('_output')) {
    turnOf(signals, true).hasResults = true;
    addContent(signals, item.output);
    return undefined;
  }
  turnOf(signals, false);
  for (const key of ['name', 'arguments', 'input']) signals.length += asText(item[key]).length;
  return undefined;
};

const addMessage = (signals: PartialSignals, message: JsonObject): void => {
  const text = addContent(signals, message.content);
  if (INSTRUCTION_ROLES.has(message.role)) {
    if (text !== '') signals.system.push(text);
    return;
  }
  const turn = turnOf(signals, message.role !== 'assistant');
  if (text !== '') turn.texts.push(text);
};

const turnOf = ({ turns }: PartialSignals, isUser: boolean): Turn => {
  const last = turns.at(-1);
  if (last?.isUser === isUser) return last;
  const turn = { isUser, texts: [], hasResults: false };
  turns.push(turn);
  return turn;
};

const addContent = (signals: PartialSignals, content: unknown): string => {
  const texts = [asText(content)];
  for (const item of asList(content)) {
    const part = asObject(item);
    if (MEDIA.has(part?.type)) signals.mediaCount += 1;
    texts.push(asText(part?.text), asText(part?.refusal));
  }
  const text = texts.filter((word) => word !== '').join('\n');
  signals.length += text.length;
  return text;
};
