export { createWitness, serveWitness } from './create-witness.ts';
export type { TestWitness, WitnessFailure } from './create-witness.ts';
export { recomputeLog } from './recompute-log.ts';
export type { Recomputed } from './recompute-log.ts';
export { openClosedPort, type ClosedPort } from './open-closed-port.ts';
export { eventually } from './eventually.ts';
export { countTurns } from './count-turns.ts';
export { watchTimers } from './watch-timers.ts';
export { openPublisher, type Publisher } from './events/open-publisher.ts';
export { createTestDatabase, type TestDatabase } from './postgres/create-test-database.ts';
export { openTestPostgres, type TestPostgres } from './postgres/open-test-postgres.ts';
export { NATS_MISSING, openTestNats, type TestNats } from './nats/open-test-nats.ts';
export { openReceiver } from './receiver/open-receiver.ts';
export type { ReceivedRequest, Receiver, Responder } from './receiver/open-receiver.ts';
export { openTestSystem } from './open-test-system.ts';
export type { TestSystem, TestSystemOptions } from './open-test-system.ts';
export {
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failWith,
  failWithHtml,
  neverAnswer,
  respondWith,
} from './scripted-provider/answer-scripts.ts';
export { toChatChunks, toChatCompletion } from './scripted-provider/chat-answer.ts';
export type { ChatAnswer } from './scripted-provider/chat-answer.ts';
export { createGate } from './scripted-provider/gate.ts';
export type { Gate } from './scripted-provider/gate.ts';
export { toMessage, toMessageEvents } from './scripted-provider/message-answer.ts';
export type { MessageAnswer, MessageEvent } from './scripted-provider/message-answer.ts';
export {
  answerMessageWith,
  countTokensWith,
  failMessageWith,
  streamMessageEvents,
  toMessageError,
} from './scripted-provider/message-scripts.ts';
export { toResponse, toResponseEvents } from './scripted-provider/response-answer.ts';
export type { ResponseAnswer, ResponseEvent } from './scripted-provider/response-answer.ts';
export { answerResponseWith, streamResponseEvents } from './scripted-provider/response-scripts.ts';
export { openScriptedProvider } from './scripted-provider/open-scripted-provider.ts';
export type { ScriptedProvider } from './scripted-provider/open-scripted-provider.ts';
export type { RecordedRequest } from './scripted-provider/request-log.ts';
export type { Script } from './scripted-provider/script.ts';
export { answerEmbeddings, SCRIPTED_VECTOR } from './scripted-provider/embedding-scripts.ts';
export { streamFrames } from './scripted-provider/stream-frames.ts';
