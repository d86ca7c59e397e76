[
  (block)
  (parts)
] @fold

(comment)+ @fold
