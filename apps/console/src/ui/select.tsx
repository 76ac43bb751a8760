import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import css from './field.module.css';
import { Icon } from './icon.tsx';

type SelectProps<Value extends string> = {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
};

/** A choice of one of a few values. */
export const Select = <Value extends string>(props: SelectProps<Value>) => (
  <AriaSelect
    className={css.field}
    selectedKey={props.value}
    onSelectionChange={(key) => props.onChange(key as Value)}
  >
    <Label className={css.label}>{props.label}</Label>
    <Button className={`${css.input} ${css.trigger}`}>
      <SelectValue />
      <Icon name="chevron" size={14} />
    </Button>
    <Popover className={css.popover}>
      <ListBox className={css.list}>
        {props.options.map(({ value, label }) => (
          <ListBoxItem key={value} id={value} textValue={label} className={css.option}>
            {label}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </AriaSelect>
);
