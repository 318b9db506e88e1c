import { simulated } from './simulated.ts';

simulated('stormy');
