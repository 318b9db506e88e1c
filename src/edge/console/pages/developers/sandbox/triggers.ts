import { RECIPES } from '../../../../sandbox-events/recipes.ts';

/** Events that can be triggered, in the order of the catalogue. */
export const TRIGGERS = Object.entries(RECIPES)
  .filter(([, recipe]) => typeof recipe !== 'string')
  .map(([type]) => type);
