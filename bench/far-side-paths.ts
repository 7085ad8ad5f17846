/** Where the judge answers; apart from the model, which answers at `/v1/chat/completions`. */
export const JUDGE_PATH = '/judge'
