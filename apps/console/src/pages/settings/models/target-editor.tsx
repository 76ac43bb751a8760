import { useQuery } from '@tanstack/react-query';
import { Button, IconButton } from '../../../ui/button.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import css from '../settings.module.css';
import { providersQuery } from '../../../app/providers-query.ts';
import type { Target } from './models-query.ts';

const TARGETS_MAX = 10;
const WEIGHT_MAX = 1_000;

/** A target of a form; `key` identifies its row while it is edited. */
export type TargetDraft = Target & { key: number };

export const toDrafts = (targets: readonly Target[]): TargetDraft[] =>
  targets.map((target, key) => ({ ...target, key }));

/** Returns the targets of a form. Throws with what is missing. */
export const readTargets = (drafts: readonly TargetDraft[]): Target[] =>
  drafts.map(({ provider, model, weight }, index) => {
    if (model.trim() === '') throw new Error(`Target ${index + 1}: enter the name of a model.`);
    return { provider, model: model.trim(), ...(weight ? { weight } : {}) };
  });

type TargetEditorProps = {
  drafts: readonly TargetDraft[];
  onChange: (drafts: TargetDraft[]) => void;
};

/** Edits targets in their order: the first is the best, the others follow when it fails. */
export const TargetEditor = ({ drafts, onChange }: TargetEditorProps) => {
  const { data } = useQuery(providersQuery);
  const names = data
    ? [...data.providers.map(({ name }) => name), ...data.operatorProviders]
    : drafts.map(({ provider }) => provider);
  const options = [...new Set(names)].map((name) => ({ value: name, label: name }));
  const change = (key: number, part: Partial<Target>): void =>
    onChange(drafts.map((draft) => (draft.key === key ? { ...draft, ...part } : draft)));
  const moveUp = (index: number): void =>
    onChange(drafts.with(index - 1, drafts[index]!).with(index, drafts[index - 1]!));
  const add = (): void => {
    const key = Math.max(-1, ...drafts.map((draft) => draft.key)) + 1;
    onChange([...drafts, { key, provider: names[0] ?? '', model: '' }]);
  };
  return (
    <div className={css.group}>
      {drafts.map((draft, index) => (
        <fieldset key={draft.key} className={css.target}>
          <legend className={css.legend}>{index === 0 ? 'First target' : `Then`}</legend>
          <Select
            label="Provider"
            options={options}
            value={draft.provider}
            onChange={(provider) => change(draft.key, { provider })}
          />
          <TextField
            label="Model"
            value={draft.model}
            onChange={(model) => change(draft.key, { model })}
          />
          <NumberField
            label="Weight"
            value={draft.weight}
            minValue={0}
            maxValue={WEIGHT_MAX}
            onChange={(weight = 0) => change(draft.key, { weight })}
          />
          <span className={css.end}>
            {index > 0 && (
              <IconButton
                icon="up"
                label={`Move target ${index + 1} up`}
                onPress={() => moveUp(index)}
              />
            )}
            <IconButton
              icon="close"
              label={`Remove target ${index + 1}`}
              onPress={() => onChange(drafts.filter(({ key }) => key !== draft.key))}
            />
          </span>
        </fieldset>
      ))}
      {drafts.length < TARGETS_MAX && (
        <div>
          <Button icon="plus" onPress={add}>
            Add a target
          </Button>
        </div>
      )}
      <p className="muted">
        Without weights, every conversation begins at the first target. With weights, each target
        gets its share of them. After a failure the others follow in this order.
      </p>
    </div>
  );
};
