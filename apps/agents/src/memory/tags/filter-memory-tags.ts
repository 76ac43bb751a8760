import { findEchoes } from '../recall/find-echoes.ts';
import type { MemoryMarks } from '../memory.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

type GlobalWrites = 'allowed' | 'untrusted_blocks' | 'gateway_call' | 'switched_off';

type TurnTrust = {
  isTainted: boolean;
  isGatewayCall: boolean;
  workspaceSharesMemories: boolean;
};

export type AcceptedMemory = MemoryTag &
  MemoryMarks & {
    /** True if the tag requested a global memory but was stored for its agent only. */
    isGlobalDenied: boolean;
  };

export type FilteredMemories = {
  memories: AcceptedMemory[];
  rejected: { keyNorm: string; reason: TagRejection | 'echoed_untrusted' }[];
};

export type OnRejected = (agentId: string, rejected: FilteredMemories['rejected']) => void;

export function toGlobalWrites(turn: TurnTrust): GlobalWrites {
  if (!turn.workspaceSharesMemories) return 'switched_off';
  if (turn.isGatewayCall) return 'gateway_call';
  return turn.isTainted ? 'untrusted_blocks' : 'allowed';
}

/**
 * Returns the memories to store. Rejects tags that repeat a tag in one of `untrustedTexts`
 * (unescaped message, context, tool results and passages), because an attacker may have written it.
 */
export function filterMemoryTags(
  tags: readonly MemoryTag[],
  turn: MemoryMarks & { untrustedTexts: readonly string[]; globalWrites: GlobalWrites },
): FilteredMemories {
  const echoes = tags.length === 0 ? new Set<MemoryTag>() : findEchoes(tags, turn.untrustedTexts);
  const { isLocalOnly, isTainted } = turn;
  const memories = tags
    .filter((tag) => !echoes.has(tag))
    .map((tag): AcceptedMemory => {
      const isGlobalDenied = tag.isGlobal && turn.globalWrites !== 'allowed';
      const isGlobal = tag.isGlobal && !isGlobalDenied;
      return { ...tag, isGlobal, isGlobalDenied, isLocalOnly, isTainted };
    });
  const rejected = [...echoes].map(({ keyNorm }) => ({
    keyNorm,
    reason: 'echoed_untrusted' as const,
  }));
  return { memories, rejected };
}
