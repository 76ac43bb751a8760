import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import css from './agents.module.css';

type Linkable = { id: string; name: string };

type LinkFormProps = {
  /** Names the choice. */
  label: string;
  action: string;
  all: readonly Linkable[];
  linked: readonly Linkable[];
  isPending: boolean;
  onLink: (id: string) => void;
};

/** Links one of those that are not linked yet; nothing is shown if there is none. */
export const LinkForm = ({ label, action, all, linked, isPending, onLink }: LinkFormProps) => {
  const [chosen, setChosen] = useState('');
  const known = new Set(linked.map(({ id }) => id));
  const others = all.filter(({ id }) => !known.has(id));
  const [first] = others;
  if (first === undefined) return null;
  const value = others.some(({ id }) => id === chosen) ? chosen : first.id;
  return (
    <form
      className={css.line}
      onSubmit={(event) => {
        event.preventDefault();
        onLink(value);
      }}
    >
      <Select
        label={label}
        options={others.map(({ id, name }) => ({ value: id, label: name }))}
        value={value}
        onChange={setChosen}
      />
      <Button type="submit" icon="plus" isPending={isPending}>
        {action}
      </Button>
    </form>
  );
};
