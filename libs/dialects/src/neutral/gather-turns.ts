/**
 * A conversation turn that is being gathered from messages. In the finished turn all `results` come
 * before all `others`.
 */
export type Draft<Item, Role extends string> = { role: Role; results: Item[]; others: Item[] };

export type GatheredTurns<Item, Role extends string> = {
  add: (role: Role, items: readonly Item[]) => void;
  readonly drafts: readonly Draft<Item, Role>[];
};

export const gatherTurns = <Item, Role extends string>(
  isResult: (item: Item) => boolean,
): GatheredTurns<Item, Role> => {
  const drafts: Draft<Item, Role>[] = [];
  return {
    add: (role, items) => {
      if (items.length === 0) return;
      let draft = drafts.at(-1);
      if (draft?.role !== role) {
        draft = { role, results: [], others: [] };
        drafts.push(draft);
      }
      for (const item of items) (isResult(item) ? draft.results : draft.others).push(item);
    },
    drafts,
  };
};
