export { isAddressLike, readModelAddress } from './address/read-model-address.ts';
export { isCutOff } from './answer/read-json-answer.ts';
export { describeJsonError, toRetryInstruction } from './answer/read-json-answer.ts';
export type { JsonError } from './answer/read-json-answer.ts';
export { readJsonAnswer } from './answer/read-json-answer.ts';
export { askOnce, collectAnswer } from './call/ask-once.ts';
export type { CallResult, ReadAnswer } from './call/ask-once.ts';
export { addUsage, collectCalls, NO_USAGE, toTextTurn } from './call/model-call.ts';
export type {
  AskModel,
  Caller,
  GroundingEntry,
  ModelAnswer,
  ModelCall,
  ModelEnding,
  ModelOpening,
  ModelPiece,
  OfferedTool,
  OpenCall,
  Prompt,
  RunningCall,
  TokenUsage,
  ToolCall,
} from './call/model-call.ts';
export { connectCompletion, passEvents } from './call/connect-completion.ts';
export { createOpenCall, createOpenUndelivered, toCompletionCall } from './call/open-delivered.ts';
export { chatCompletions } from './chat-completions/dialect.ts';
export type {
  AnswerHead,
  AnswerLeaf,
  AnswerNormalizer,
  AnswerPiece,
  AnswerTail,
  Dialect,
  DialectName,
  Endpoint,
  EndpointName,
  EgressTarget,
  Frame,
  RequestSummary,
  RoutingSignals,
  SentFrames,
  Slot,
  StreamEncoder,
  VectorRequest,
} from './dialect.ts';
export type { JsonObject } from './json/json-value.ts';
export { DIALECTS, ENDPOINTS } from './dialects.ts';
export { embeddings } from './embeddings/endpoint.ts';
export { encodeVectors } from './embeddings/endpoint.ts';
export { createTemplateParser, matchTemplate } from './json/json-text.ts';
export type { TextTemplate } from './json/json-text.ts';
export { editMembers } from './json/json-text.ts';
export { endOfString, isTooDeep } from './json/json-text.ts';
export { parseAnswer, parseObject } from './json/json-value.ts';
export { preserveLongNumbers, parseExactly } from './json/parse-exactly.ts';
export { messages } from './messages/dialect.ts';
export { createNeutralAnswerCollector } from './neutral/create-neutral-answer.ts';
export type { NeutralAnswerCollector } from './neutral/create-neutral-answer.ts';
export { responses } from './responses/dialect.ts';
export { encodeEmptyResponse } from './responses/encode-response.ts';
export { outlineSchema, writeSchema } from './neutral/answer-schema.ts';
export { renamingFields } from './neutral/rename-field.ts';
export { readConversationSignals } from './neutral/read-conversation-signals.ts';
