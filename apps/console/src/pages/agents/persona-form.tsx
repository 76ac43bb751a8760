import { useState } from 'react';
import type { ReactNode } from 'react';
import { ApiError, describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { TextField } from '../../ui/text-field.tsx';
import css from './agents.module.css';
import { findMissing } from './persona-draft.ts';
import type { PersonaDraft, PersonaMember } from './persona-draft.ts';

type PersonaFormProps = {
  draft: PersonaDraft;
  onChange: (draft: PersonaDraft) => void;
  action: string;
  isPending: boolean;
  /** False while there is nothing to submit. */
  canSubmit?: boolean;
  error: unknown;
  onSubmit: () => void;
  /** Beside the button that submits. */
  children?: ReactNode;
};

const MISSING: Readonly<Partial<Record<PersonaMember, string>>> = {
  name: 'Give the agent a name.',
  systemPrompt: 'Write who the agent is.',
};

/** The members of a persona as a form, which names what is missing. */
export const PersonaForm = (props: PersonaFormProps) => {
  const { draft, onChange, error, onSubmit, canSubmit = true } = props;
  const [isChecked, setChecked] = useState(false);
  const missing = isChecked ? findMissing(draft) : [];
  const isNameTaken = error instanceof ApiError && error.code === 'slug_taken';
  const problemOf = (member: PersonaMember): string | undefined => {
    if (missing.includes(member)) return MISSING[member];
    return member === 'name' && isNameTaken
      ? 'Another agent has this name. Choose another.'
      : undefined;
  };
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (findMissing(draft).length === 0) onSubmit();
      }}
    >
      <div className={css.fields}>
        {FIELDS.map(({ member, label, hint, maxLength, isLong = false }) => (
          <div key={member} data-long={isLong ? '' : undefined}>
            <TextField
              label={label}
              hint={hint}
              maxLength={maxLength}
              isMultiline={isLong}
              value={draft[member]}
              onChange={(text) => onChange({ ...draft, [member]: text })}
              error={problemOf(member)}
            />
          </div>
        ))}
      </div>
      {error !== null && !isNameTaken && <Notice tone="bad">{describeError(error)}</Notice>}
      <div className={css.buttons}>
        <Button
          kind="primary"
          type="submit"
          isPending={props.isPending}
          isDisabled={!canSubmit && !props.isPending}
        >
          {props.action}
        </Button>
        {props.children}
      </div>
    </form>
  );
};

type PersonaField = {
  member: PersonaMember;
  label: string;
  hint: string;
  maxLength: number;
  isLong?: boolean;
};

const FIELDS: readonly PersonaField[] = [
  {
    member: 'name',
    label: 'Name',
    hint: 'Its address agent:<name> follows from it',
    maxLength: 120,
  },
  { member: 'role', label: 'Role', hint: 'Such as “Chief financial officer”', maxLength: 500 },
  {
    member: 'systemPrompt',
    label: 'Who it is',
    hint: 'Shown to the model in every call: what it knows, what it cares about, how it answers',
    maxLength: 32_000,
    isLong: true,
  },
  {
    member: 'personality',
    label: 'Personality',
    hint: 'Optional. How it comes across',
    maxLength: 4_000,
    isLong: true,
  },
  {
    member: 'mission',
    label: 'Mission',
    hint: 'Optional. What it is there for',
    maxLength: 4_000,
    isLong: true,
  },
  {
    member: 'decisionStyle',
    label: 'Decision style',
    hint: 'Optional. How it weighs and decides',
    maxLength: 4_000,
    isLong: true,
  },
  {
    member: 'model',
    label: 'Model',
    hint:
      'Optional. A model address, such as service-agent. With +sensitive, or as ' +
      'service-sensitive, it is processed on this machine only',
    maxLength: 256,
  },
];
