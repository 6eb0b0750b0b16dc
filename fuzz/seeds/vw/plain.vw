1 |a x y:2 |b z
0 |a x:0.25 |b z w
