import type { RoutingSignals } from '../dialect.ts';
import { asList, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

const NO_EFFORT = new Set(['', 'none', 'minimal']);
const MEDIA = new Set(['image_url', 'input_audio', 'file']);

type Turn = { isUser: boolean; texts: string[]; hasResults: boolean };

type PartialSignals = { system: string[]; turns: Turn[]; length: number; mediaCount: number };

/**
 * Returns the routing signals of a parsed body. Members of a wrong type count as absent.
 * `hasSignedReasoning` is always false, because this dialect has no signatures.
 */
export const readSignals = (body: JsonObject): RoutingSignals => {
  const signals: PartialSignals = { system: [], turns: [], length: 0, mediaCount: 0 };
  for (const item of asList(body.messages)) {
    const message = asObject(item);
    if (message) addMessage(signals, message);
  }
  const tools = [...asList(body.tools), ...asList(body.functions)];
  const userTexts = signals.turns
    .filter(({ isUser }) => isUser)
    .map(({ texts }) => texts.join('\n'))
    .filter((text) => text !== '');
  const format = asText(asObject(body.response_format)?.type);
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText: signals.system.join('\n\n'),
    promptLength: signals.length + (tools.length > 0 ? JSON.stringify(tools).length : 0),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: signals.turns.at(-1)?.hasResults ?? false,
    hasSignedReasoning: false,
    wantsReasoning: !NO_EFFORT.has(asText(body.reasoning_effort)),
    wantsJson: format === 'json_object' || format === 'json_schema',
    mediaCount: signals.mediaCount,
  };
};

const addMessage = (signals: PartialSignals, message: JsonObject): void => {
  const role = asText(message.role);
  const text = addContent(signals, message.content);
  if (role === 'system' || role === 'developer') {
    if (text !== '') signals.system.push(text);
    return;
  }
  const isUser = role !== 'assistant';
  const turn = turnOf(signals, isUser);
  if (role === 'tool' || role === 'function') turn.hasResults = true;
  else if (text !== '') turn.texts.push(text);
  if (!isUser) signals.length += lengthOfAnswer(message);
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
    if (MEDIA.has(asText(part?.type))) signals.mediaCount += 1;
    texts.push(asText(part?.text));
  }
  const text = texts.filter((word) => word !== '').join('\n');
  signals.length += text.length;
  return text;
};

const lengthOfAnswer = (message: JsonObject): number => {
  let length = asText(message.refusal).length;
  for (const item of asList(message.tool_calls)) {
    const calledFunction = asObject(asObject(item)?.function);
    length += asText(calledFunction?.name).length + asText(calledFunction?.arguments).length;
  }
  return length;
};
