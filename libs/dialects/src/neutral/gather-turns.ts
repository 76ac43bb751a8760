/** A turn in the making: results of tools stand before all else, wherever they came. */
export type Draft<Item, Role extends string> = { role: Role; results: Item[]; others: Item[] };

/** Makes turns of what is said by one side after the other. */
export type GatheredTurns<Item, Role extends string> = {
  /** Nothing said makes no turn. One by one: there may be a million items of one role. */
  add: (role: Role, items: readonly Item[]) => void;
  readonly drafts: readonly Draft<Item, Role>[];
};

/** No turn yet. Neighbours of one role become one turn. */
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
