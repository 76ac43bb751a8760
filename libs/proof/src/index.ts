export { AMBIGUOUS_FRAME, answerCommitmentText, commitAnswer, toInputArguments } from './answer.ts';
export type { AnswerChoice, AnswerGatherer, AnswerToolCall, ReportedUsage } from './answer.ts';

export {
  ADDRESS_KINDS,
  FINISH_REASONS,
  parseCertificate,
  parsePayload,
  ROUTING_REASONS,
  TASK_TYPES,
} from './certificate.ts';
export type {
  AddressKind,
  Certificate,
  CertificatePayload,
  FinishReason,
  GroundingRow,
  RoutingReason,
  TaskType,
  Usage,
} from './certificate.ts';
export { createChatAnswer } from './chat-answer.ts';
export { canonicalJson, commit, commitmentText, MAX_JSON_DEPTH } from './commitment.ts';
export {
  commitEmbeddings,
  createEmbeddingAnswer,
  embeddingCommitmentText,
  parseBase64Vector,
  toBase64Vector,
} from './embedding-answer.ts';
export type { EmbeddingGatherer } from './embedding-answer.ts';
export { readSummary, SUMMARY_PREFIX } from './compaction.ts';
export { PROOF_REASONS, ProofError } from './errors.ts';
export type { ProofReason } from './errors.ts';
export { keyIdOf, keysInForce, parseKeyList, parsePublicKeys, pemOf, rawKeyOf } from './keys.ts';
export type { PublicKey, PublicKeys } from './keys.ts';
export { createMessageAnswer } from './message-answer.ts';
export { createResponseAnswer } from './response-answer.ts';
export { parseSavedAnswer } from './saved-answer.ts';
export { createSseSplitter, MAX_FRAME_BYTES } from './sse.ts';
export type { SseFrame, SseSplitter } from './sse.ts';
export { parseUniqueJson } from './strict-json.ts';
export { checkCertificate, verifyCertificate } from './verify-certificate.ts';
export type { CertificateChecks, CheckOutcome, VerifiedCertificate } from './verify-certificate.ts';
export {
  createChainVerifier,
  genesisHash,
  verifyChain,
  verifyChainDocument,
  verifyLink,
} from './verify-chain.ts';
export type { ChainIdentity, ChainOptions, ChainVerifier, VerifiedChain } from './verify-chain.ts';
export { verifyRequest, verifyResponse } from './verify-content.ts';
export type { ComparedPart, ResponseOptions, VerifiedResponse } from './verify-content.ts';
export { isBundle, parseBundle } from './tlog/bundle.ts';
export type { Bundle } from './tlog/bundle.ts';
export { parsePolicy } from './tlog/policy.ts';
export type { Policy } from './tlog/policy.ts';
export { BUNDLE_CHECKS, checkBundle, verifyBundle } from './tlog/verify-bundle.ts';
export type {
  BundleCheck,
  BundleChecks,
  BundleOptions,
  VerifiedBundle,
} from './tlog/verify-bundle.ts';
