import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { BalanceSchema, EntrySchema } from '@witan/contracts';
import type { Balance, Entry } from '../ports.ts';

export const toEntry = (entry: Entry): MessageInitShape<typeof EntrySchema> => ({
  id: entry.id,
  kind: entry.kind,
  amount: BigInt(entry.amount),
  certificateId: entry.certificateId ?? '',
  createdAt: timestampFromDate(entry.createdAt),
});

export const toBalance = (
  { posted, held }: Balance,
  metered: boolean,
): MessageInitShape<typeof BalanceSchema> => ({
  posted: BigInt(posted),
  held: BigInt(held),
  metered,
});
