export { editMembers } from './json/edit-members.ts';
export type { MemberEdits } from './json/edit-members.ts';
export { encodeChatError, encodeChatErrorFrame } from './chat-completions/encode-error.ts';
export type { ChatError } from './chat-completions/encode-error.ts';
export { readChatRequest, OUTPUT_LIMITS } from './chat-completions/read-request.ts';
export type { ChatRequest, OutputLimit } from './chat-completions/read-request.ts';
export { readChunk } from './chat-completions/read-chunk.ts';
export type { ChunkKind } from './chat-completions/read-chunk.ts';
