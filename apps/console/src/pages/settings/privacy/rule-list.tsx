import { useState } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Badge } from '../../../ui/page-state.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import css from '../settings.module.css';
import { CATEGORIES, describeCategory } from './categories.ts';
import type { Category } from './categories.ts';

type Rule = { text: string; category: Category };

type RuleListProps = {
  title: string;
  intro: string;
  /** Name of one rule, such as "Term". */
  field: string;
  rules: readonly Rule[];
  /** Undefined: the rules are shown only. */
  onChange: ((rules: Rule[]) => void) | undefined;
};

/** Terms or patterns, each with the category that it is masked as. */
export const RuleList = ({ title, intro, field, rules, onChange }: RuleListProps) => (
  <div className={css.group} role="group" aria-label={title}>
    <h3>{title}</h3>
    <p className="muted">{intro}</p>
    {rules.length > 0 && (
      <ul className={`${css.items} ${css.scroll}`} tabIndex={0} aria-label={title}>
        {rules.map(({ text, category }) => (
          <li key={text} className={css.item}>
            <code className={css.name}>{text}</code>
            <span className={css.end}>
              <Badge>{describeCategory(category)}</Badge>
              {onChange && (
                <IconButton
                  icon="close"
                  label={`Remove ${text}`}
                  onPress={() => onChange(rules.filter((rule) => rule.text !== text))}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    )}
    {onChange && (
      <AddRule field={field} rules={rules} onAdd={(rule) => onChange([...rules, rule])} />
    )}
  </div>
);

type AddRuleProps = { field: string; rules: readonly Rule[]; onAdd: (rule: Rule) => void };

const AddRule = ({ field, rules, onAdd }: AddRuleProps) => {
  const [text, setText] = useState('');
  const [category, setCategory] = useState<Category>('ORG');
  const trimmed = text.trim();
  const isKnown = rules.some((rule) => rule.text === trimmed);
  return (
    <form
      className={css.addRow}
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed === '' || isKnown) return;
        onAdd({ text: trimmed, category });
        setText('');
      }}
    >
      <TextField
        label={field}
        value={text}
        onChange={setText}
        error={isKnown ? 'It is in the list already.' : undefined}
      />
      <Select
        label={`Category of the ${field.toLowerCase()}`}
        options={CATEGORIES}
        value={category}
        onChange={setCategory}
      />
      <Button icon="plus" type="submit">
        Add the {field.toLowerCase()}
      </Button>
    </form>
  );
};
