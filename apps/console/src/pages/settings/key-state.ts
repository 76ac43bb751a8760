import type { Tone } from '../../ui/page-state.tsx';
import type { ApiKey } from './keys-query.ts';

type KeyState = { label: string; tone: Tone; isUsable: boolean };

export const keyStateOf = ({ revokedAt, expiresAt }: ApiKey, now: Date): KeyState => {
  if (revokedAt !== undefined) return { label: 'Revoked', tone: 'bad', isUsable: false };
  if (expiresAt === null) return { label: 'Active', tone: 'good', isUsable: true };
  if (new Date(expiresAt) <= now) return { label: 'Expired', tone: 'neutral', isUsable: false };
  return { label: 'Expires', tone: 'warn', isUsable: true };
};
