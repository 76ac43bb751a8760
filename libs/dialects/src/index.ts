export { editMembers } from './json/edit-members.ts';
export type { MemberEdits } from './json/edit-members.ts';
export { findRepeatedMember } from './json/find-repeated-member.ts';
export { encodeChatError, encodeChatErrorFrame } from './chat-completions/encode-error.ts';
export type { ChatError } from './chat-completions/encode-error.ts';
export {
  DECISIVE_MEMBERS,
  OUTPUT_LIMITS,
  readChatRequest,
} from './chat-completions/read-request.ts';
export type { ChatRequest, OutputLimit } from './chat-completions/read-request.ts';
export { readChunk } from './chat-completions/read-chunk.ts';
export type { ChunkKind } from './chat-completions/read-chunk.ts';
